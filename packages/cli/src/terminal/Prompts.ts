// Prompts in the terminal. With --json, or if standard input is not a terminal, a prompt fails and names the option
// that answers it. Prompts are written to standard error, so that `svc … > file` still shows them. Ctrl-C, Ctrl-D or
// Escape end the command.
import { Context, Effect, type FileSystem, Layer, type Path, type Redacted, Stdio, Stream, Terminal } from "effect"
import { Prompt } from "effect/cli"
import { Aborted, CommandFailed } from "../CliError.ts"
import { Mode } from "../Mode.ts"

export interface Choice<A> {
  readonly title: string
  readonly value: A
  readonly description?: string
}

type PromptOptions<A> = Effect.Effect<A, Aborted | CommandFailed>

export class Prompts extends Context.Service<Prompts, {
  /** Whether prompts are possible. */
  readonly isInteractive: Effect.Effect<boolean>
  readonly select: <A>(message: string, choices: ReadonlyArray<Choice<A>>) => PromptOptions<A>
  readonly confirm: (message: string, initial: boolean) => PromptOptions<boolean>
  /** Repeats the prompt while `validate` returns an error. */
  readonly text: (
    message: string,
    options: { readonly initial: string; readonly validate: (text: string) => Effect.Effect<string, string> }
  ) => PromptOptions<string>
  readonly hidden: (message: string) => PromptOptions<Redacted.Redacted>
}>()("@svc/cli/terminal/Prompts") {
  static readonly layer = Layer.effect(
    Prompts,
    Effect.gen(function*() {
      const stdio = yield* Stdio.Stdio
      const terminal = yield* Terminal.Terminal
      const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
      const onStandardError = Terminal.make({
        ...terminal,
        display: (text) => Stream.run(Stream.make(text), stdio.stderr({ endOnDone: false }))
      })
      // standard input is not opened if prompts are impossible
      const isInteractive = Effect.flatMap(
        Mode,
        (mode) => mode === "human" ? stdio.stdinIsTerminal : Effect.succeed(false)
      )

      const ask = <A>(prompt: Prompt.Prompt<A>, message: string): PromptOptions<A> =>
        Effect.gen(function*() {
          if (!(yield* isInteractive)) {
            return yield* new CommandFailed({
              message: `Input required: ${message}`,
              hint: "Say it by a flag, or run the command in a terminal without --json."
            })
          }
          return yield* prompt.pipe(
            Effect.provideContext(context),
            Effect.provideService(Terminal.Terminal, onStandardError),
            Effect.mapError(() => new Aborted())
          )
        })

      return Prompts.of({
        isInteractive,
        select: (message, choices) => ask(Prompt.Select({ message, choices }), message),
        confirm: (message, initial) => ask(Prompt.Confirm({ message, initial }), message),
        text: (message, { initial, validate }) =>
          ask(
            // the default is shown, not pre-filled, so that it need not be deleted
            Prompt.String({
              message: `${message} (${initial})`,
              validate: (text) => validate(text === "" ? initial : text)
            }),
            message
          ),
        hidden: (message) => ask(Prompt.Hidden({ message }), message)
      })
    })
  )
}
