// `svc status` without the parser of the commands, which takes as long to load as all the rest: scripts and prompts of
// shells call it often. A command line that is not plain is executed by the parser.
import { Effect, Option, Result } from "effect"
import { parseArgs } from "node:util"
import { codes } from "./Exit.ts"
import { status, type StatusOptions } from "./status/Status.ts"
import { asSvcctl } from "./UserAgent.ts"

const options = { json: { type: "boolean" }, url: { type: "string" }, "server-name": { type: "string" } } as const

const plain = (args: ReadonlyArray<string>): Option.Option<StatusOptions> =>
  Option.map(
    Result.getSuccess(Result.try(() => parseArgs({ args: [...args], options }).values)),
    ({ json = false, "server-name": serverName, url }) => ({ json, serverName, url })
  )

const parsed = (argv: ReadonlyArray<string>) =>
  Effect.flatMap(Effect.promise(() => import("./Everything.ts")), ({ run }) => run(argv))

export const run = (argv: ReadonlyArray<string>) =>
  Option.match(plain(argv.slice(1)), {
    onNone: () => parsed(argv),
    onSome: (given) =>
      asSvcctl(status(given)).pipe(
        Effect.as(codes.ok),
        Effect.catchTag("Ended", ({ ending }) => Effect.succeed(codes[ending]))
      )
  })
