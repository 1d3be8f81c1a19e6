// Normalizes the arguments for the parser: `-dr` is one flag (the parser would read `-d` and `-r`), a flag without a
// value gets none, neither by `=` nor by the next word, and an id is no flag.
import { Result } from "effect"
import { type Command, Completions } from "effect/cli"
import { UsageError } from "./CliError.ts"
import { noColour } from "./Environment.ts"

/** Flags of one dash and two letters. */
export const shortNames: ReadonlyArray<readonly [short: string, name: string]> = [["-dr", "dry-run"]]

const namesOf = ({ flags, subcommands }: Completions.CommandDescriptor): ReadonlyArray<string> => [
  ...flags.filter(({ type }) => type._tag === "Boolean").flatMap(({ aliases, name }) => [name, ...aliases]),
  ...subcommands.flatMap(namesOf)
]

const lettersOf = ({ flags, subcommands }: Completions.CommandDescriptor): ReadonlyArray<string> => [
  ...flags.filter(({ type }) => type._tag !== "Boolean").flatMap(({ aliases }) => aliases),
  ...subcommands.flatMap(lettersOf)
]

/** All single letters of flags with a value. */
const valuedOf = (command: Command.Command.Any): ReadonlySet<string> =>
  new Set(lettersOf(Completions.fromCommand(command)))

/** All flags without a value, long ones and single letters. */
const togglesOf = (command: Command.Command.Any): ReadonlySet<string> =>
  new Set(["help", ...namesOf(Completions.fromCommand(command))])

const option = /^--?([^=-][^=]*)(=[^]*)?$/

/** `-fother.yml` is `-f` with its value. The parser would read each letter as a flag. */
const attached = /^-([a-zA-Z])([^=][^]*)$/

/** Ids of approvals can begin with a dash. The parser would read flags. */
const dashedId = /^-[\w-]{42}$/

const normalize = (
  word: string,
  toggles: ReadonlySet<string>,
  valued: ReadonlySet<string>
): Result.Result<string, UsageError> => {
  const short = shortNames.find(([short]) => short === word)
  if (short !== undefined) return Result.succeed(`--${short[1]}=true`)
  const [, letter = "", text = ""] = attached.exec(word) ?? []
  if (valued.has(letter)) return Result.succeed(`-${letter}=${text}`)
  const [, name = "", value] = option.exec(word) ?? []
  // only the last of combined short flags can take a value
  const isToggle = toggles.has(word.startsWith("--") ? name : name.slice(-1))
  if (!isToggle) return Result.succeed(word)
  if (value === undefined) return Result.succeed(`${word}=true`)
  return Result.fail(new UsageError({ message: `${word.slice(0, word.indexOf("="))} takes no value` }))
}

export const normalized = (
  argv: ReadonlyArray<string>,
  command: Command.Command.Any
): Result.Result<ReadonlyArray<string>, UsageError> => {
  const toggles = togglesOf(command)
  const valued = valuedOf(command)
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length
  const words = argv.slice(0, end).filter((word) => word !== noColour)
  const ids = words.filter((word) => dashedId.test(word))
  const others = words.filter((word) => !dashedId.test(word))
  return Result.map(
    Result.all(others.map((word) => normalize(word, toggles, valued))),
    (read) => [...read, ...ids.length === 0 ? [] : ["--", ...ids], ...argv.slice(ids.length === 0 ? end : end + 1)]
  )
}
