// `svc roles`: named sets of scopes.
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import * as Groups from "../service/Groups.ts"
import * as ListAnswer from "../service/ListAnswer.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"

const name = Argument.String("name").pipe(Argument.withDescription("Name of the role"))

// `svc roles list`

const columns = [{ title: "Role" }, { title: "Scopes", wraps: true }, { title: "Made by" }]

const list = Command.make("list", { limit: Flags.limit, ...AdminTarget.flags }, ({ json, limit, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const service = yield* ServiceClient.open(given)
      return yield* ListAnswer.of({
        name: "roles",
        read: (action) => ServiceClient.call(service, action, Groups.roles, "list", { query: { limit } }),
        columns,
        rowOf: ({ created_by, declared, name, scopes }) => [
          name,
          scopes.join(", "),
          declared ? "code" : created_by ?? "-"
        ],
        empty: "There are no roles. Make one with svc roles create."
      })
    })
  )).pipe(
    Command.withDescription("List the roles by their names, with their scopes."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("List roles"),
    Command.withExamples([{ command: "svc roles list" }])
  )

// `svc roles create NAME --scopes SCOPE`

const createFlags = {
  name,
  scopes: Flags.roleScopes,
  description: Flags.text("description", "TEXT", "What the role is for"),
  ...AdminTarget.flags
}

const create = Command.make("create", createFlags, ({ description, json, name, scopes, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      const role = yield* ServiceClient.call(service, `Creating role ${name}`, Groups.roles, "create", {
        payload: { name, scopes, ...(description === undefined ? {} : { description }) }
      })
      return {
        document: { ...role } as never,
        human: output.success(`Created role ${name}. A token has it by the scope role:${name}.`)
      }
    })
  )).pipe(
    Command.withDescription("Create a role: a name for scopes, which tokens have by the scope role:NAME."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Create a role"),
    Command.withExamples([{ command: "svc roles create support -s agents:desk:run -s sessions:read" }])
  )

// `svc roles delete NAME`

const remove = Command.make("delete", { name, ...AdminTarget.flags }, ({ json, name, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      yield* ServiceClient.call(service, `Deleting role ${name}`, Groups.roles, "remove", {
        params: { role_name: name }
      })
      return { document: { deleted: name }, human: output.success(`Deleted role ${name}. It grants nothing any more.`) }
    })
  )).pipe(
    Command.withDescription("Delete a role. Who has it loses its scopes within two seconds."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Delete a role"),
    Command.withExamples([{ command: "svc roles delete support" }])
  )

export const roles = Command.make("roles").pipe(
  Command.withDescription("List, create and delete roles: named sets of scopes."),
  Command.withShortDescription("Manage roles"),
  Command.withSubcommands([list, create, remove])
)
