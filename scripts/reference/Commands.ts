// The commands of the tool with their arguments and flags, from the tree that the tool itself has.
import { Completions } from "effect/cli"
import { codes } from "../../packages/cli/src/Exit.ts"
import { svc } from "../../packages/cli/src/Main.ts"
import { meanings } from "../../packages/cli/src/terminal/HelpPage.ts"

type Command = Completions.CommandDescriptor
type Row = readonly [left: string, right: string]

const sentence = (text = ""): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ")

const table = (head: Row, rows: ReadonlyArray<Row>): string =>
  [head, ["---", "---"], ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const flagRow = ({ aliases, description, name }: Completions.FlagDescriptor): Row => [
  [`--${name}`, ...aliases.map((alias) => `-${alias.replace(/^-+/, "")}`)].map((one) => `\`${one}\``).join(", "),
  sentence(description)
]

/** The commands that do something, by their whole names. */
const leaves = (command: Command, parents: string): ReadonlyArray<readonly [name: string, command: Command]> => {
  const name = `${parents}${command.name}`
  return command.subcommands.length === 0
    ? [[name, command]]
    : command.subcommands.flatMap((each) => leaves(each, `${name} `))
}

/** A flag of as many commands is described once. */
const shared = 4

/** By the same names as their meanings. */
const codeOf: Readonly<Record<string, number>> = codes

/** The part of the page of the tool that follows from its commands. */
export const commands = (): string => {
  const all = Completions.fromCommand(svc).subcommands.flatMap((command) => leaves(command, "svc "))
  const uses = new Map<string, { readonly row: Row; readonly commands: Array<string> }>()
  for (const [name, command] of all) {
    for (const flag of command.flags) {
      const row = flagRow(flag)
      const use = uses.get(row.join()) ?? { row, commands: [] }
      use.commands.push(name)
      uses.set(row.join(), use)
    }
  }
  const common = [...uses.values()].filter(({ commands }) => commands.length >= shared)
  const isCommon = (row: Row) => common.some((one) => one.row.join() === row.join())
  const usage = (name: string, command: Command) =>
    `\`${[name, ...command.arguments.map(({ name, required }) => required ? name : `[${name}]`)].join(" ")}\``
  return [
    table(
      ["command", "what it does"],
      all.map(([name, command]) => [usage(name, command), sentence(command.description)])
    ),
    "These flags belong to several commands:",
    table(["flag", "meaning"], common.map(({ row }) => row)),
    "And these to one or a few:",
    table(
      ["flag", "meaning"],
      all.flatMap(([name, { flags }]) =>
        flags.map(flagRow).filter((row) => !isCommon(row)).map((
          [flag, meaning]
        ): Row => [`\`${name}\` ${flag}`, meaning])
      )
    ),
    "The exit codes:",
    table(
      ["code", "meaning"],
      Object.entries(meanings).map(([ending, meaning]): Row => [`${codeOf[ending]}`, sentence(meaning)])
    )
  ].join("\n\n")
}
