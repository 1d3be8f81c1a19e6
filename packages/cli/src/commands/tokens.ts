// `svc tokens`: manages the service accounts of a service.
import { Command } from "effect/cli"
import { create } from "./tokens/create.ts"
import { list } from "./tokens/list.ts"
import { revoke } from "./tokens/revoke.ts"

export const tokens = Command.make("tokens").pipe(
  Command.withDescription(
    "Create, list and revoke the tokens of service accounts: callers that are programs. A service that asks who is " +
      "calling wants an administrative credential, from PLATFORM_ADMIN_TOKEN, OS_SECURITY_KEY, or typed."
  ),
  Command.withShortDescription("Create, list and revoke tokens of service accounts"),
  Command.withSubcommands([create, list, revoke])
)
