// 200 tools of ten servers as such servers describe them, and tasks in the words of users. All but the first 60 were
// written after the ranking, and it was not changed for them.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import type { ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import { Effect } from "effect"

const github = `
create_issue | Create a new issue in a GitHub repository | owner repo title body labels assignees
get_issue | Get the contents of an issue within a repository | owner repo issue_number
list_issues | List and filter repository issues by state, label and milestone | owner repo state labels since
update_issue | Update an existing issue, including its title, body, state and milestone | owner repo issue_number title state
add_issue_comment | Add a comment to an existing issue | owner repo issue_number body
search_issues | Search for issues and pull requests across repositories | q sort order
create_pull_request | Create a new pull request to merge one branch into another | owner repo title head base draft
get_pull_request | Get details of a specific pull request | owner repo pull_number
list_pull_requests | List and filter pull requests of a repository | owner repo state head base
merge_pull_request | Merge a pull request with a merge, squash or rebase strategy | owner repo pull_number merge_method
get_pull_request_diff | Get the diff of a pull request as a patch | owner repo pull_number
create_review | Create a review on a pull request, with line comments | owner repo pull_number event comments
list_commits | List commits of a branch in a repository | owner repo sha page
create_branch | Create a new branch in a repository | owner repo branch from_branch
get_file_contents | Get the contents of a file or directory from a repository | owner repo path ref
push_files | Push multiple files to a repository in a single commit | owner repo branch files message
fork_repository | Fork a repository to your account or an organization | owner repo organization
create_release | Publish a release for a tag, with generated notes | owner repo tag_name name body prerelease
run_workflow | Trigger a GitHub Actions workflow run on a ref | owner repo workflow_id ref inputs
list_code_scanning_alerts | List code scanning alerts for security problems in a repository | owner repo severity state`

const slack = `
slack_post_message | Post a message to a Slack channel | channel text
slack_reply_to_thread | Post a reply into a message thread | channel thread_ts text
slack_add_reaction | Add an emoji reaction to a message | channel timestamp reaction
slack_list_channels | List public channels in the workspace | limit cursor
slack_get_channel_history | Fetch recent messages of a channel | channel limit
slack_get_thread_replies | Fetch all replies in a thread | channel thread_ts
slack_search_messages | Search messages that match a query | query count sort
slack_get_users | List all users of the workspace with their profiles | limit cursor
slack_get_user_profile | Get detailed profile information of a user | user_id
slack_create_channel | Create a public or private channel | name is_private
slack_archive_channel | Archive a channel | channel
slack_invite_to_channel | Invite users to a channel | channel users
slack_set_channel_topic | Set the topic of a channel | channel topic
slack_upload_file | Upload a file and share it in channels | channels file filename title
slack_schedule_message | Schedule a message to be sent at a later time | channel text post_at
slack_delete_message | Delete a message from a channel | channel ts
slack_update_message | Edit a message that was posted before | channel ts text
slack_pin_message | Pin a message to a channel | channel timestamp
slack_set_user_status | Set the custom status of the current user | status_text status_emoji expiration
slack_open_dm | Open a direct message conversation with users | users`

const mail = `
send_email | Send an email message, with recipients, a subject and attachments | to cc bcc subject body attachments
create_draft | Create a draft email without sending it | to subject body
list_messages | List messages in the mailbox, filtered by label | label_ids max_results page_token
get_message | Get the full content of an email by its id | message_id format
search_emails | Search emails with the query syntax of the mail provider | query max_results
reply_to_email | Reply to an email within its thread | message_id body reply_all
forward_email | Forward an email to other recipients | message_id to
trash_message | Move an email to the trash | message_id
modify_labels | Add or remove labels of a message | message_id add_labels remove_labels
create_label | Create a mailbox label | name color
create_filter | Create a rule that applies to incoming mail | criteria action
download_attachment | Download an attachment of an email | message_id attachment_id
mark_as_read | Mark messages as read or unread | message_ids read
get_vacation_settings | Get the settings of the automatic out-of-office responder | user
set_vacation_responder | Turn the out-of-office auto-reply on or off | enabled subject body start end
list_contacts | List the contacts of the address book | page_size
create_contact | Create a contact in the address book | name email phone
batch_delete_messages | Permanently delete several emails | message_ids
get_signature | Get the email signature of the account | account
report_spam | Report an email as spam | message_id`

const calendar = `
create_event | Create a calendar event with attendees and a location | summary start end attendees location
list_events | List calendar events in a range of time | calendar_id time_min time_max
get_event | Get details of a calendar event | event_id
update_event | Change the time, title or attendees of an event | event_id start end attendees
delete_event | Delete a calendar event | event_id notify
respond_to_event | Accept, decline or tentatively accept an invitation | event_id response
find_free_slots | Find free time slots of several people | attendees duration time_min time_max
get_freebusy | Query free/busy information for calendars | calendars time_min time_max
list_calendars | List the calendars of the user | show_hidden
share_calendar | Share a calendar with another person | calendar_id email role
create_recurring_event | Create an event that repeats by a recurrence rule | summary start rrule
set_working_hours | Set the working hours of the user | days start end
add_attendee | Add an attendee to an existing event | event_id email
book_room | Reserve a meeting room | room_id start end
list_rooms | List meeting rooms with capacity and equipment | building capacity
set_event_reminder | Set a reminder before an event | event_id minutes method
move_event | Move an event to another calendar | event_id destination
get_time_zone | Get the time zone of a calendar | calendar_id
create_calendar | Create a secondary calendar | summary time_zone
list_holidays | List public holidays of a country | country year`

const payments = `
create_customer | Create a customer | email name metadata
list_customers | List customers, optionally by email | email limit
create_invoice | Create an invoice for a customer | customer days_until_due
finalize_invoice | Finalize a draft invoice | invoice
list_invoices | List invoices, optionally of a customer | customer status
create_refund | Refund a payment intent, in whole or in part | payment_intent amount reason
list_payment_intents | List payment intents | customer limit
create_payment_link | Create a payment link for a price | price quantity redirect_url
create_product | Create a product | name description
create_price | Create a price for a product | product unit_amount currency recurring
list_products | List products of the catalog | active limit
list_subscriptions | List subscriptions by customer, price or status | customer price status
cancel_subscription | Cancel a subscription at once or at the end of its period | subscription at_period_end
update_subscription | Change the plan, quantity or proration of a subscription | subscription items proration
create_coupon | Create a coupon with a percentage or an amount off | percent_off amount_off duration
retrieve_balance | Retrieve the balance of the account | account
list_disputes | List disputes and chargebacks | charge payment_intent
update_dispute | Submit evidence for a dispute | dispute evidence submit
create_payout | Send funds to a bank account | amount currency destination
list_tax_rates | List tax rates | active country`

const database = `
query | Run a read-only SQL query against the database | sql params
execute_statement | Execute a statement that changes data or the schema | sql params
list_tables | List tables of a schema | schema
describe_table | Describe the columns, types and indexes of a table | table
explain_query | Explain the plan of a query and its cost | sql analyze
create_table | Create a table from column definitions | name columns
create_index | Create an index on columns of a table | table columns unique
list_schemas | List schemas of the database | include_system
get_table_size | Get the size of a table and its indexes on disk | table
list_active_connections | List active sessions and the statements that they execute | database
terminate_connection | Terminate a backend session | pid
list_slow_queries | List the slowest statements from the statistics | limit min_duration
vacuum_table | Vacuum and analyze a table | table full
list_extensions | List installed extensions | available
create_backup | Create a dump of the database | format destination
restore_backup | Restore the database from a dump | backup_id target
get_replication_lag | Get the lag of replicas | replica
list_locks | List locks and the sessions that wait for them | relation
grant_privileges | Grant privileges on an object to a role | role object privileges
export_csv | Export the result of a query as CSV | sql delimiter`

const cluster = `
pods_list | List pods in the cluster by namespace and label selector | namespace label_selector
pods_log | Get the logs of a pod | namespace name container tail
pods_delete | Delete a pod | namespace name
pods_exec | Execute a command in a container of a pod | namespace name command
pods_top | Show CPU and memory consumption of pods | namespace
deployments_list | List deployments | namespace
deployments_scale | Scale the replicas of a deployment | namespace name replicas
deployments_restart | Restart the rollout of a deployment | namespace name
deployments_rollback | Roll a deployment back to an earlier revision | namespace name revision
events_list | List cluster events, such as warnings of scheduling | namespace field_selector
nodes_list | List nodes with their conditions and capacity | label_selector
nodes_drain | Drain a node for maintenance | name grace_period
nodes_cordon | Mark a node as unschedulable | name
resources_apply | Apply a YAML or JSON manifest | manifest
resources_get | Get any resource by kind and name | api_version kind name
namespaces_list | List namespaces | label_selector
configmaps_get | Get a config map | namespace name
secrets_list | List the names of secrets in a namespace | namespace
helm_install | Install a Helm chart | chart release values
ingresses_list | List ingress rules and their hosts | namespace`

const notes = `
search_pages | Search pages and databases by title | query filter
get_page | Retrieve a page and its properties | page_id
create_page | Create a page under a parent | parent title content
update_page_properties | Update the properties of a page | page_id properties
archive_page | Archive a page | page_id
append_blocks | Append blocks to a page | block_id children
get_block_children | Retrieve the children of a block | block_id
query_database_rows | Query rows of a database with filters and sorts | database_id filter sorts
create_database_row | Create a row in a database | database_id properties
create_page_comment | Create a comment on a page | page_id text
list_page_comments | List unresolved comments of a page | page_id
duplicate_page | Duplicate a page with its children | page_id
move_page | Move a page to another parent | page_id parent
export_page | Export a page as Markdown or PDF | page_id format
share_page | Change who can access a page | page_id email permission
get_page_history | List earlier versions of a page | page_id
restore_page_version | Restore an earlier version of a page | page_id version
list_templates | List templates of the workspace | limit
list_workspace_members | List members and guests of the workspace | role
create_database_view | Create a table, board or timeline view of a database | database_id type`

const support = `
create_ticket | Create a support ticket on behalf of a requester | requester subject description priority
get_ticket | Get a support ticket with its fields | ticket_id
list_tickets | List tickets by status, priority or assignee | status priority assignee
update_ticket | Update fields of a ticket | ticket_id status priority
assign_ticket | Assign a ticket to an agent or a group | ticket_id assignee group
add_ticket_comment | Add a public reply or an internal note to a ticket | ticket_id body public
merge_tickets | Merge duplicate tickets into one | source_ids target_id
escalate_ticket | Escalate a ticket to the next tier | ticket_id reason
close_ticket | Solve and close a ticket | ticket_id resolution
list_macros | List macros, which are prepared responses | active
apply_macro | Apply a macro to a ticket | ticket_id macro_id
get_satisfaction_ratings | Get satisfaction ratings of customers | start_time score
search_articles | Search articles of the help center | query locale
create_article | Create an article in the help center | title body section_id
get_sla_policies | Get policies for response and resolution times | active
list_agents | List support agents and their availability | group
get_queue_metrics | Get the backlog and waiting times of queues | queue period
ban_requester | Suspend a requester who abuses support | user_id reason
link_ticket_to_issue | Link a ticket to an issue of the development tracker | ticket_id issue_url
export_tickets | Export tickets as CSV | query fields`

const files = `
list_files | List files in a folder of the drive | folder_id page_size
search_files | Full-text search of the drive | query mime_type
read_file | Read the content of a file as text | file_id
upload_file | Upload a file to the drive | name parent_id content
create_folder | Create a folder | name parent_id
move_file | Move a file to another folder | file_id folder_id
copy_file | Copy a file | file_id name
rename_file | Rename a file or a folder | file_id name
delete_file | Move a file to the bin | file_id
restore_file | Restore a file from the bin | file_id
share_file | Share a file with people or by link | file_id email role
list_permissions | List who has access to a file | file_id
revoke_permission | Remove access of a person to a file | file_id permission_id
get_file_metadata | Get size, owner and modification time of a file | file_id
list_revisions | List revisions of a file | file_id
convert_document | Convert a document to another format, such as PDF | file_id target_format
create_spreadsheet | Create a spreadsheet | title sheets
update_cells | Write values into cells of a spreadsheet | spreadsheet_id range values
read_cells | Read values of a range of a spreadsheet | spreadsheet_id range
get_storage_quota | Get used and free storage of the drive | account`

const servers = { github, slack, mail, calendar, payments, database, cluster, notes, support, files }

const toolOf = (line: string): Tool.Tool => {
  const [name = "", description = "", names = ""] = line.split(" | ")
  const properties = Object.fromEntries(
    names.split(" ").map((parameter) => [
      parameter,
      { type: "string", description: `The ${parameter.replaceAll("_", " ")} that the call is for` }
    ])
  )
  return Tool.make({
    name,
    description,
    parameters: { type: "object", properties, required: Object.keys(properties).slice(0, 2) },
    effects: "read",
    execute: (input) => `${name} ${JSON.stringify(input)}`
  })
}

export const sourceOf = (name: string, tools: ReadonlyArray<Tool.Tool>): ToolSource => ({
  _tag: "ToolSource",
  name,
  open: Effect.succeed({ tools, problem: undefined }),
  last: () => undefined
})

/** Each server with its tools. */
export const sources: ReadonlyArray<ToolSource> = Object.entries(servers).map(([name, lines]) =>
  sourceOf(name, lines.trim().split("\n").map(toolOf))
)

/** The ranking was made with these tasks: each with the tools that do it. Some can be done by several. */
export const knownTasks: ReadonlyArray<readonly [string, ...Array<string>]> = [
  ["file a bug about the login page crashing", "create_issue"],
  ["what does bug 482 say", "get_issue"],
  ["which bugs are still open in our repo", "list_issues", "search_issues"],
  ["leave a remark on bug 482 that it is fixed in main", "add_issue_comment"],
  ["open a PR from my feature branch into main", "create_pull_request"],
  ["squash PR 77 into main", "merge_pull_request"],
  ["show what was changed in PR 77", "get_pull_request_diff"],
  ["start the deploy pipeline on the main branch", "run_workflow"],
  ["publish version 2.4.0 with notes", "create_release"],
  ["any vulnerabilities found in our code", "list_code_scanning_alerts"],
  ["tell the #general channel that lunch is ready", "slack_post_message"],
  ["answer in the thread that I will look at it", "slack_reply_to_thread"],
  ["give that message a thumbs up emoji", "slack_add_reaction"],
  ["what did people write in #ops today", "slack_get_channel_history", "slack_search_messages"],
  ["make a private channel for the launch", "slack_create_channel"],
  ["add Maria and Tom to the launch channel", "slack_invite_to_channel"],
  ["post this message in the channel tomorrow at nine", "slack_schedule_message"],
  ["fix a typo in the slack message I sent", "slack_update_message"],
  ["write to anna@example.com that the contract is signed, by mail", "send_email"],
  ["prepare a mail to the board but do not send it yet", "create_draft"],
  ["pass the mail from legal on to Peter", "forward_email"],
  ["save the PDF that was attached to the mail", "download_attachment"],
  ["I am on holiday next week: switch the auto-reply on", "set_vacation_responder"],
  ["put newsletters into a folder automatically when they arrive in my mail", "create_filter"],
  ["store the phone number of a new business partner in my contacts", "create_contact"],
  ["schedule a meeting with Bob on Friday at 10", "create_event"],
  ["when are Alice, Bob and Carol all available", "find_free_slots", "get_freebusy"],
  ["what meetings do I have on Monday", "list_events"],
  ["decline the invitation for the town hall", "respond_to_event"],
  ["postpone the review meeting by one hour", "update_event"],
  ["reserve a room for ten people", "book_room"],
  ["is the first of May a bank holiday in Germany", "list_holidays"],
  ["weekly standup every Tuesday", "create_recurring_event"],
  ["give the customer his money back", "create_refund"],
  ["bill ACME for the consulting", "create_invoice"],
  ["stop the subscription of this customer at the end of the month", "cancel_subscription"],
  ["20 percent discount code for the summer sale", "create_coupon"],
  ["how much money is on our payments account", "retrieve_balance"],
  ["a customer's bank has reversed the charge: send our proof", "update_dispute"],
  ["how many orders were made last week, from the database", "query"],
  ["which columns does the users table have", "describe_table"],
  ["why is this SQL so slow", "explain_query", "list_slow_queries"],
  ["kill the stuck database session 4711", "terminate_connection"],
  ["how big is the events table", "get_table_size"],
  ["give the reporting role the right to read the orders table", "grant_privileges"],
  ["why does the checkout pod crash, show its output", "pods_log"],
  ["run five replicas of the web deployment", "deployments_scale"],
  ["go back to the previous version of the api deployment", "deployments_rollback"],
  ["which pods use the most memory", "pods_top"],
  ["take node 7 out of service for maintenance", "nodes_drain", "nodes_cordon"],
  ["write a new wiki page with the minutes", "create_page"],
  ["who edited this page before, and what did it look like", "get_page_history"],
  ["download the page as PDF", "export_page"],
  ["hand the ticket over to the billing group", "assign_ticket"],
  ["these two tickets are the same: join them", "merge_tickets"],
  ["are customers happy with our support", "get_satisfaction_ratings"],
  ["how long is the support queue at the moment", "get_queue_metrics"],
  ["let Eve see the budget file", "share_file"],
  ["get the file back that I have thrown away", "restore_file"],
  ["how much space is left on the drive", "get_storage_quota"]
]

/** Tasks that the ranking was not made with. */
export const newTasks: ReadonlyArray<readonly [string, ...Array<string>]> = [
  ["close bug 12 as a duplicate", "update_issue"],
  ["look for reports about memory leaks in all our repos", "search_issues"],
  ["what does PR 31 do and who opened it", "get_pull_request"],
  ["are there PRs waiting to be merged", "list_pull_requests"],
  ["approve PR 31 with a few remarks", "create_review"],
  ["who committed to the main branch lately", "list_commits"],
  ["start a new branch for the hotfix", "create_branch"],
  ["show me the README of the repo", "get_file_contents"],
  ["commit these three files in one go", "push_files"],
  ["make our own copy of that repo", "fork_repository"],
  ["send Tom a private slack message", "slack_open_dm", "slack_post_message"],
  ["which channels does our slack have", "slack_list_channels"],
  ["who is in our slack workspace", "slack_get_users"],
  ["find where anybody mentioned the outage on slack", "slack_search_messages"],
  ["shut down the old project channel", "slack_archive_channel"],
  ["drop the screenshot into the design channel", "slack_upload_file"],
  ["take back the message that I posted by mistake", "slack_delete_message"],
  ["show me as busy until noon in slack", "slack_set_user_status"],
  ["keep the announcement at the top of the channel", "slack_pin_message"],
  ["did my landlord write me an email", "search_emails", "list_messages"],
  ["read the newest mail in full", "get_message", "list_messages"],
  ["answer Claire's mail and copy everybody", "reply_to_email"],
  ["throw the mail from the recruiter away", "trash_message"],
  ["this mail is junk", "report_spam"],
  ["tag the mail as invoices", "modify_labels", "create_label"],
  ["what is the mail address of Dr. Weber in my address book", "list_contacts"],
  ["call off the dinner on Thursday in my calendar", "delete_event"],
  ["let my assistant see my calendar", "share_calendar"],
  ["also invite Dora to the kickoff event", "add_attendee"],
  ["remind me 15 minutes before the call", "set_event_reminder"],
  ["which meeting rooms have a projector", "list_rooms"],
  ["I only work mornings: tell the calendar", "set_working_hours"],
  ["add ACME Ltd as a new customer for billing", "create_customer"],
  ["who has not paid yet", "list_invoices", "list_payment_intents"],
  ["a link where people can pay 20 euros", "create_payment_link"],
  ["move the customer to the yearly plan", "update_subscription"],
  ["transfer our earnings to the bank", "create_payout"],
  ["which customers have contested a charge", "list_disputes"],
  ["what do we sell", "list_products"],
  ["add a phone column to the customers table", "execute_statement"],
  ["which tables exist", "list_tables"],
  ["speed up lookups by email with an index", "create_index"],
  ["back the database up before the migration", "create_backup"],
  ["is the replica behind", "get_replication_lag"],
  ["who is blocking whom in the database", "list_locks", "list_active_connections"],
  ["get the result of this SQL as a spreadsheet file", "export_csv"],
  ["is the payment pod running", "pods_list"],
  ["open a shell in the web container", "pods_exec"],
  ["restart the api deployment", "deployments_restart"],
  ["put this manifest into the cluster", "resources_apply"],
  ["install redis with helm", "helm_install"],
  ["find the page about onboarding in our notes", "search_pages"],
  ["add a paragraph to the end of the page", "append_blocks"],
  ["bring back last week's version of the page", "restore_page_version"],
  ["customer cannot log in: open a support ticket", "create_ticket"],
  ["write back to the person on ticket 99", "add_ticket_comment"],
  ["this ticket needs a senior: push it upwards", "escalate_ticket"],
  ["who can open the salary file", "list_permissions"],
  ["put 42 into cell B3 of the sheet", "update_cells"],
  ["turn the Word document into a PDF", "convert_document"]
]

/** The new tasks as a model asks for their tools when it reads the description of the search. */
export const queries: ReadonlyArray<readonly [string, ...Array<string>]> = [
  ["update issue close duplicate state", "update_issue"],
  ["search issues across repositories memory leak", "search_issues"],
  ["get pull request details author", "get_pull_request"],
  ["list open pull requests", "list_pull_requests"],
  ["approve pull request review with comments", "create_review"],
  ["list recent commits on branch", "list_commits"],
  ["create git branch", "create_branch"],
  ["read file from repository", "get_file_contents"],
  ["commit multiple files push", "push_files"],
  ["fork repository", "fork_repository"],
  ["slack direct message to user", "slack_open_dm", "slack_post_message"],
  ["slack channels list", "slack_list_channels"],
  ["list members of slack workspace", "slack_get_users"],
  ["search slack messages for outage", "slack_search_messages"],
  ["archive slack channel", "slack_archive_channel"],
  ["upload image to slack channel", "slack_upload_file"],
  ["delete slack message", "slack_delete_message"],
  ["slack set status busy", "slack_set_user_status"],
  ["pin message in channel", "slack_pin_message"],
  ["search inbox for mail from a sender", "search_emails", "list_messages"],
  ["read latest email body", "get_message", "list_messages"],
  ["reply all to email", "reply_to_email"],
  ["delete email", "trash_message"],
  ["mark email as junk spam", "report_spam"],
  ["add label to email", "modify_labels", "create_label"],
  ["find contact email address", "list_contacts"],
  ["cancel calendar event", "delete_event"],
  ["share calendar with user", "share_calendar"],
  ["invite person to existing calendar event", "add_attendee"],
  ["set reminder for calendar event", "set_event_reminder"],
  ["list meeting rooms equipment projector", "list_rooms"],
  ["calendar working hours availability", "set_working_hours"],
  ["create billing customer", "create_customer"],
  ["list unpaid invoices", "list_invoices", "list_payment_intents"],
  ["generate checkout payment link", "create_payment_link"],
  ["change subscription plan to yearly", "update_subscription"],
  ["payout to bank account", "create_payout"],
  ["list chargebacks disputes", "list_disputes"],
  ["product catalog list", "list_products"],
  ["alter table add column sql execute", "execute_statement"],
  ["list database tables", "list_tables"],
  ["create database index", "create_index"],
  ["backup database dump", "create_backup"],
  ["replication lag of database replica", "get_replication_lag"],
  ["database locks blocking sessions", "list_locks", "list_active_connections"],
  ["export sql query result csv", "export_csv"],
  ["kubernetes list pods status", "pods_list"],
  ["exec shell command in container", "pods_exec"],
  ["restart kubernetes deployment rollout", "deployments_restart"],
  ["apply kubernetes manifest yaml", "resources_apply"],
  ["install helm chart", "helm_install"],
  ["search wiki notes pages by title", "search_pages"],
  ["append text paragraph to page", "append_blocks"],
  ["restore older page version", "restore_page_version"],
  ["create customer support ticket", "create_ticket"],
  ["reply to customer on ticket public comment", "add_ticket_comment"],
  ["escalate support ticket", "escalate_ticket"],
  ["who has access permissions of file", "list_permissions"],
  ["write cell value in spreadsheet", "update_cells"],
  ["convert docx document to pdf", "convert_document"]
]

/** Tasks that the ranking was never changed for. */
export const freshTasks: ReadonlyArray<readonly [string, ...Array<string>]> = [
  ["report a defect in the checkout to the developers", "create_issue"],
  ["what is still to do in milestone 3 of our repository", "list_issues"],
  ["mark issue 9 as fixed", "update_issue"],
  ["propose my change for review in the repository", "create_pull_request"],
  ["which lines does pull request 12 touch", "get_pull_request_diff"],
  ["I want to comment on the code of pull request 12", "create_review"],
  ["what has been committed since Monday", "list_commits"],
  ["read the source of server.ts on main", "get_file_contents"],
  ["kick off the nightly build", "run_workflow"],
  ["are there security holes in our repository", "list_code_scanning_alerts"],
  ["announce the new version in the team channel on slack", "slack_post_message"],
  ["react with a heart to the last message", "slack_add_reaction"],
  ["summarize the last hour of the incident channel", "slack_get_channel_history"],
  ["read the discussion below that message", "slack_get_thread_replies"],
  ["who is user U123, and what is his job title", "slack_get_user_profile"],
  ["rename what the support channel is about", "slack_set_channel_topic"],
  ["get Lena into the finance channel", "slack_invite_to_channel"],
  ["put the quarterly report PDF into the slack channel", "slack_upload_file"],
  ["email the offer to the customer", "send_email"],
  ["look for the mail with the flight tickets", "search_emails"],
  ["remove this email", "trash_message", "batch_delete_messages"],
  ["get rid of all these newsletters for good", "batch_delete_messages"],
  ["set all mails from the bank as read", "mark_as_read"],
  ["make a new label for travel mails", "create_label"],
  ["is my out-of-office message on", "get_vacation_settings"],
  ["which people are in my address book", "list_contacts"],
  ["plan a call with the lawyers on Thursday at three", "create_event"],
  ["what is on my calendar tomorrow", "list_events"],
  ["move the dentist appointment to Friday", "update_event"],
  ["cancel the meeting with Sales", "delete_event"],
  ["say yes to the invitation of Carla", "respond_to_event"],
  ["find a time at which the whole team can meet", "find_free_slots", "get_freebusy"],
  ["we need a meeting room at two", "book_room"],
  ["let Tim look into my calendar", "share_calendar"],
  ["send ACME the bill", "create_invoice", "finalize_invoice"],
  ["which invoices are overdue", "list_invoices"],
  ["pay half of the amount back to the customer", "create_refund"],
  ["make a link for paying the workshop", "create_payment_link"],
  ["end the subscription of user 77", "cancel_subscription"],
  ["upgrade the customer to the bigger plan", "update_subscription"],
  ["add a new product to the shop", "create_product"],
  ["give loyal customers 10 percent off", "create_coupon"],
  ["are there chargebacks this month", "list_disputes"],
  ["count the users that signed up in May with SQL", "query"],
  ["delete the test rows from the orders table", "execute_statement"],
  ["which indexes does the orders table have", "describe_table"],
  ["which statements take the most time in the database", "list_slow_queries"],
  ["who is connected to the database now", "list_active_connections"],
  ["bring the database back from yesterday's dump", "restore_backup"],
  ["export last month's orders to CSV", "export_csv"],
  ["show the log of the worker pod", "pods_log"],
  ["how much CPU do the pods take", "pods_top"],
  ["undo the last rollout of the api", "deployments_rollback"],
  ["double the number of web replicas", "deployments_scale"],
  ["are all nodes of the cluster healthy", "nodes_list"],
  ["add the minutes to the end of the meeting page", "append_blocks", "update_page_properties"],
  ["what did this page say last week", "get_page_history"],
  ["assign ticket 14 to Paul", "assign_ticket"],
  ["solve ticket 15, the customer is happy", "close_ticket"],
  ["stop sharing the budget with Eve", "revoke_permission"]
]
