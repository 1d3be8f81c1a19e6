// `svc sessions list`: the sessions, the last changed one first.
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import { present } from "../../CommandResult.ts"
import * as Flags from "../../Flags.ts"
import { minute } from "../../runs/RunTable.ts"
import * as ComponentName from "../../service/ComponentName.ts"
import * as ServiceClient from "../../service/ServiceClient.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"
import { Output } from "../../terminal/Output.ts"

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
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      const of = component === undefined ? undefined : yield* ComponentName.resolve(service, component)
      const { data, meta } = yield* output.waiting(
        "Listing sessions",
        ServiceClient.call("Listing sessions", (options) =>
          service.svc.sessions.list({
            limit,
            type: of?.kind,
            component_id: of?.id,
            session_name: name,
            user_id: user,
            sort_by: "updated_at"
          }, options))
      )
      const rows = data.map((session) => {
        const found = ComponentName.ofEntry(session)
        return [
          session.session_id,
          found === undefined ? "-" : ComponentName.nameOf(found),
          minute(session.updated_at),
          session.user_id ?? "-",
          session.session_name
        ]
      })
      const human = rows.length === 0
        ? output.line("There are no such sessions. A run makes one: svc run.")
        : Effect.andThen(
          output.table(columns, rows),
          meta.total_count > rows.length ? output.note(`${rows.length} of ${meta.total_count} sessions`) : Effect.void
        )
      return {
        document: { sessions: data.map((session) => ({ ...session })) as never, total: meta.total_count },
        human
      }
    })
  )).pipe(
    Command.withDescription("List the sessions, the last changed one first."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("List sessions"),
    Command.withExamples([{ command: "svc sessions list --component agent/assistant --limit 50" }])
  )
