// `svc sessions list`: the sessions, the last changed one first.
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import { present } from "../../CommandResult.ts"
import * as Flags from "../../Flags.ts"
import { minute } from "../../runs/RunTable.ts"
import * as ComponentName from "../../service/ComponentName.ts"
import * as Groups from "../../service/Groups.ts"
import * as ListAnswer from "../../service/ListAnswer.ts"
import * as ServiceClient from "../../service/ServiceClient.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"

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

export const list = Command.make("list", flags, ({ component, json, limit, name, user, ...given }) =>
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
