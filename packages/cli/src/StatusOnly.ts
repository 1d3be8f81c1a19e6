// `svc status` without the parser of the commands, which takes as long to load as all the rest: scripts and prompts of
// shells call it often. A command line that is not plain is executed by the parser.
import { Effect, Option } from "effect"
import { codes } from "./Exit.ts"
import { status, type StatusOptions } from "./status/Status.ts"
import { asSvcctl } from "./UserAgent.ts"

/** The flags, if all words are known flags. Loading the parser of Node takes longer. */
const plain = (args: ReadonlyArray<string>, given: StatusOptions): Option.Option<StatusOptions> => {
  const [word, next, ...more] = args
  if (word === undefined) return Option.some(given)
  if (word === "--json") return plain(args.slice(1), { ...given, json: true })
  const [, flag, attached] = /^--(url|server-name)(?:=([^]*))?$/.exec(word) ?? []
  const value = attached ?? next
  if (flag === undefined || value === undefined || (attached === undefined && value.startsWith("-"))) {
    return Option.none()
  }
  const rest = attached === undefined ? more : args.slice(1)
  return plain(rest, { ...given, [flag === "url" ? "url" : "serverName"]: value })
}

const parsed = (argv: ReadonlyArray<string>) =>
  Effect.flatMap(Effect.promise(() => import("./AllCommands.ts")), ({ run }) => run(argv))

export const run = (argv: ReadonlyArray<string>) =>
  Option.match(plain(argv.slice(1), { json: false, serverName: undefined, url: undefined }), {
    onNone: () => parsed(argv),
    onSome: (given) =>
      asSvcctl(status(given)).pipe(
        Effect.as(codes.ok),
        Effect.catchTag("Ended", ({ ending }) => Effect.succeed(codes[ending]))
      )
  })
