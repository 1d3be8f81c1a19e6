// `svc sessions`: the conversations that a service keeps.
import * as Json from "@svc-runtime/domain/Json"
import type * as Message from "@svc-runtime/domain/Message"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { CommandFailed } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import * as Conversation from "../runs/Conversation.ts"
import { minute } from "../runs/RunTable.ts"
import * as ComponentName from "../service/ComponentName.ts"
import * as Groups from "../service/Groups.ts"
import * as ListAnswer from "../service/ListAnswer.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"
import { onOneLine } from "../terminal/Printable.ts"
import { Prompts } from "../terminal/Prompts.ts"

// `svc sessions show SESSION`: one session with its runs and its conversation.

const showFlags = {
  session: Argument.String("session").pipe(Argument.withDescription("Id of the session")),
  ...AdminTarget.flags
}

interface Shown {
  readonly session_id: string
  readonly session_name: string
  readonly user_id?: string | null | undefined
  readonly session_summary?: { readonly summary: string } | null | undefined
  readonly session_state?: Json.Value | undefined
  readonly chat_history?: ReadonlyArray<Pick<typeof Message.Message.Encoded, "role" | "content">> | null | undefined
}

const show = Effect.fnUntraced(function*(session: Shown) {
  const output = yield* Output
  yield* output.line(`Session:    ${onOneLine(session.session_id)}`)
  yield* output.line(`Name:       ${onOneLine(session.session_name)}`)
  if (session.user_id) yield* output.line(`User:       ${onOneLine(session.user_id)}`)
  if (session.session_summary) yield* output.line(`Summary:    ${session.session_summary.summary}`)
  if (session.session_state) yield* output.line(`State:      ${JSON.stringify(session.session_state)}`)
  yield* Conversation.show(session.chat_history ?? [])
})

const showSession = Command.make("show", showFlags, ({ json, session: id, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      const session = yield* ServiceClient.call(
        service,
        "Reading the session",
        Groups.sessions,
        "get",
        { params: { session_id: id } }
      )
      return {
        document: Json.of(session),
        human: Effect.provideService(show(session), Output, output)
      }
    })
  )).pipe(
    Command.withDescription("Show a session: its state, its summary and its conversation."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Show one session"),
    Command.withExamples([{ command: "svc sessions show first" }])
  )

// `svc sessions branches SESSION`: the runs of a session as a tree, with those of its path.

/** The runs that have a place, oldest first: runs inside of others have none. */
const placedIn = Effect.fnUntraced(function*(service: ServiceClient.Service, session_id: string) {
  const params = { session_id }
  const runs = yield* ServiceClient.call(service, "Reading the runs of the session", Groups.sessions, "listRuns", {
    params,
    query: {}
  })
  return runs.flatMap(({ is_on_path, previous_run_id, run_id, run_input, status }) =>
    run_id === undefined || is_on_path === undefined
      ? []
      : [{
        run_id,
        previous_run_id: previous_run_id ?? null,
        is_on_path,
        status: status ?? "-",
        run_input: run_input ?? "-"
      }]
  )
})

const branchColumns = [
  { title: "Run" },
  { title: "Comes after" },
  { title: "Shown" },
  { title: "Status" },
  { title: "Message", wraps: true }
]

const branches = Command.make("branches", showFlags, ({ json, session, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      const runs = yield* placedIn(service, session)
      const rows = runs.map(({ is_on_path, previous_run_id, run_id, run_input, status }) => [
        run_id,
        previous_run_id ?? "start",
        is_on_path ? "yes" : "-",
        status,
        run_input
      ])
      return {
        document: { runs: runs.map((run) => Json.of(run)) },
        human: rows.length === 0 ? output.line("The session has no runs.") : output.table(branchColumns, rows)
      }
    })
  )).pipe(
    Command.withDescription(
      "List the runs of a session as a tree: what each one comes after, and whether the session shows it."
    ),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("List the branches of a session"),
    Command.withExamples([{ command: "svc sessions branches first" }])
  )

// `svc sessions switch SESSION RUN`: shows another branch.

const switchFlags = {
  session: Argument.String("session").pipe(Argument.withDescription("Id of the session")),
  run: Argument.String("run").pipe(Argument.withDescription("Id of a run of the branch")),
  ...AdminTarget.flags
}

const switchBranch = Command.make("switch", switchFlags, ({ json, run, session, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      const after = new Set([run])
      let current_run_id = run
      for (const { previous_run_id, run_id } of yield* placedIn(service, session)) {
        if (previous_run_id === null || !after.has(previous_run_id)) continue
        after.add(run_id)
        current_run_id = run_id
      }
      yield* ServiceClient.call(service, "Switching the branch", Groups.sessions, "update", {
        params: { session_id: session },
        query: {},
        payload: { current_run_id }
      })
      return {
        document: { session_id: session, current_run_id },
        human: output.success(`The next run of session ${session} comes after ${current_run_id}.`)
      }
    })
  )).pipe(
    Command.withDescription("Show the branch of a run: its last run becomes the one after which the next run comes."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Show another branch of a session"),
    Command.withExamples([{ command: "svc sessions switch first 0d0f7c4e-…" }])
  )

// `svc sessions delete SESSION`: removes a session with everything in it, after a confirmation.

const removeFlags = {
  session: Argument.String("session").pipe(Argument.withDescription("Id of the session")),
  isForced: Flags.toggle("force", "Delete without a confirmation"),
  ...AdminTarget.flags
}

const remove = Command.make("delete", removeFlags, ({ isForced, json, session, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const prompts = yield* Prompts
      const service = yield* ServiceClient.open(given)
      // a session that does not exist is an error before the question
      yield* ServiceClient.call(
        service,
        "Looking up the session",
        Groups.sessions,
        "listRuns",
        { params: { session_id: session }, query: { limit: 1 } }
      )
      const isConfirmed = isForced || !(yield* prompts.isInteractive) ||
        (yield* prompts.confirm(`Delete session ${session} with its runs?`, false))
      if (!isConfirmed) return yield* new CommandFailed({ message: "Nothing was deleted" })
      yield* ServiceClient.call(service, "Deleting the session", Groups.sessions, "remove", {
        params: { session_id: session }
      })
      return {
        document: { session_id: session, deleted: true },
        human: output.success(`Deleted session ${session}.`)
      }
    })
  )).pipe(
    Command.withDescription("Delete a session with its runs, events and traces. Runs that execute are cancelled."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Delete a session"),
    Command.withExamples([{ command: "svc sessions delete first --force" }])
  )

// `svc sessions list`: the sessions, the last changed one first.

const flags = {
  component: Flags.text("component", "NAME", "Only sessions of this component, such as agent/assistant"),
  name: Flags.text("name", "TEXT", "Only sessions with this text in their name"),
  user: Flags.text("user", "ID", "Only sessions of this user"),
  limit: Flags.limit,
  ...AdminTarget.flags
}

const columns = [
  { title: "Session" },
  { title: "Component" },
  { title: "Changed" },
  { title: "User" },
  { title: "Name", wraps: true }
]

const list = Command.make("list", flags, ({ component, json, limit, name, user, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const service = yield* ServiceClient.open(given)
      const of = component === undefined ? undefined : yield* ComponentName.resolve(service, component)
      return yield* ListAnswer.of({
        name: "sessions",
        read: (action) =>
          ServiceClient.call(service, action, Groups.sessions, "list", {
            query: {
              limit,
              type: of?.kind,
              component_id: of?.id,
              session_name: name,
              user_id: user,
              sort_by: "updated_at"
            }
          }),
        columns,
        rowOf: (session) => [
          session.session_id,
          ComponentName.shownOf(session),
          minute(session.updated_at),
          session.user_id ?? "-",
          session.session_name
        ],
        empty: "There are no such sessions. A run makes one: svc run."
      })
    })
  )).pipe(
    Command.withDescription("List the sessions, the last changed one first."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("List sessions"),
    Command.withExamples([{ command: "svc sessions list --component agent/assistant --limit 50" }])
  )

export const sessions = Command.make("sessions").pipe(
  Command.withDescription("List, show and delete the sessions of a service, and switch between their branches."),
  Command.withShortDescription("Work with sessions"),
  Command.withSubcommands([list, showSession, branches, switchBranch, remove])
)
