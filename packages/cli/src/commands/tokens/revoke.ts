// `svc tokens revoke`: revokes the tokens of an account permanently.
import { Clock, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import * as ServiceAccounts from "../../admin/ServiceAccounts.ts"
import { CommandFailed } from "../../CliError.ts"
import { present } from "../../CommandResult.ts"
import * as Flags from "../../Flags.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"
import { Output } from "../../terminal/Output.ts"
import { Prompts } from "../../terminal/Prompts.ts"

const flags = {
  name: Argument.String("name").pipe(Argument.withDescription("The account's name")),
  ...AdminTarget.flags,
  yes: Flags.toggle("yes", "Do not ask, and trust an address that was read from an env file", "y")
}

const isConfirmed = Effect.fnUntraced(function*(name: string, url: string, yes: boolean) {
  const prompts = yield* Prompts
  if (yes || !(yield* prompts.isInteractive)) return true
  return yield* prompts.confirm(`Revoke ${name} on ${url}? Its tokens stop working for good.`, false)
})

export const revoke = Command.make("revoke", flags, ({ json, name, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const access = yield* AdminTarget.open(given)
      const found = yield* output.waiting(`Looking up ${name}`, ServiceAccounts.findActive(access, name))
      if (Option.isNone(found)) {
        return yield* new CommandFailed({
          message: `No service account named ${name} is active`,
          hint: "See which there are with svc tokens list."
        })
      }
      if (!(yield* isConfirmed(name, access.url, given.yes))) {
        return { document: null, human: output.line(`Nothing was changed: ${name} keeps working.`) }
      }
      yield* output.waiting(`Revoking ${name}`, ServiceAccounts.revoke(access, found.value))
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      return {
        document: { revoked: { ...found.value, revoked_at: found.value.revoked_at ?? now } },
        human: output.success(`Revoked ${name}. Its tokens stop working with their next request.`)
      }
    })
  )).pipe(
    Command.withDescription("Revoke a service account. This cannot be undone: its tokens stop working."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Revoke an account for good"),
    Command.withExamples([
      { command: "svc tokens revoke ci" },
      { command: "svc tokens revoke ci --yes", description: "Without being asked" }
    ])
  )
