// `svc completions bash|zsh|fish`: the script that makes a shell complete commands and flags, under both names of the
// tool.
import { Effect } from "effect"
import { Argument, Command, Completions } from "effect/cli"
import * as Clients from "../clients/Clients.ts"
import * as HostedApps from "../clients/HostedApps.ts"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import * as Templates from "../project/Templates.ts"
import { Output } from "../terminal/Output.ts"

const shells = ["bash", "zsh", "fish"] as const
type Shell = (typeof shells)[number]

/** The line by which a shell completes `svcctl` as it completes `svc`. */
const alsoSvcctl: { readonly [S in Shell]: (script: string) => string } = {
  bash: (script) => `${script}\ncomplete -F _svc svcctl`,
  zsh: (script) => script.replace("#compdef svc", "#compdef svc svcctl").replace("compdef _svc svc", "$& svcctl"),
  fish: (script) => `${script}\ncomplete -c svcctl -w svc`
}

type Value = Completions.FlagType & Completions.ArgumentType

const path: Value = { _tag: "Path", pathType: "file" }

/** The values of flags and arguments that are texts to the parser, by name. */
const valuesOf: { readonly [name: string]: Value } = {
  clients: {
    _tag: "Choice",
    values: [...Clients.all, ...HostedApps.all].flatMap(({ aliases }) => aliases.slice(0, 1))
  },
  file: path,
  junit: path,
  template: { _tag: "Choice", values: Templates.names }
}

const withValues = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => {
  const known = <A extends { readonly name: string; readonly type: unknown }>(one: A): A => {
    const type = valuesOf[one.name]
    return type === undefined ? one : { ...one, type }
  }
  return {
    ...command,
    flags: command.flags.map(known),
    arguments: command.arguments.map(known),
    subcommands: command.subcommands.map(withValues)
  }
}

const scriptOf = (shell: Shell, tree: Command.Command.Any): string =>
  alsoSvcctl[shell](Completions.generate("svc", shell, withValues(Completions.fromCommand(tree))))
    .replaceAll("svc --completions ", "svc completions ")
    // a function of this name would be found by the completions of other programs
    .replaceAll("_init_completion", "_svc_init_completion")

/** `tree` is a function, because the command is a part of the tree. */
export const completions = (tree: () => Command.Command.Any) =>
  Command.make(
    "completions",
    {
      shell: Argument.Literals("shell", shells).pipe(Argument.withDescription("The shell to complete in")),
      json: Flags.json
    },
    ({ json, shell }) =>
      present(
        json,
        Effect.gen(function*() {
          const output = yield* Output
          const script = scriptOf(shell, tree())
          return { document: { shell, script }, human: output.line(script) }
        })
      )
  ).pipe(
    Command.withDescription("Print a script that completes commands and flags in a shell."),
    Command.withShortDescription("Print completions for bash, zsh or fish"),
    Command.withExamples([
      { command: "source <(svc completions bash)", description: "In ~/.bashrc" },
      { command: "svc completions zsh > ~/.zsh/completions/_svc", description: "In a folder of fpath" },
      { command: "svc completions fish > ~/.config/fish/completions/svc.fish" }
    ])
  )
