// Questions to whoever sits at the terminal. Nobody is asked with --json or when standard input is no terminal: then a
// question ends the run with what would have answered it. Questions are drawn on standard error, so that
// `svc … > file` still shows them. Leaving one, by Ctrl-C, Ctrl-D or Escape, ends the run.
import { Context, Effect, type FileSystem, Layer, type Path, type Redacted, Stdio, Stream, Terminal } from "effect"
import { Prompt } from "effect/cli"
import { Aborted, CommandFailed } from "./CliError.ts"
import { Mode } from "./Mode.ts"

export interface Choice<A> {
  readonly title: string
  readonly value: A
  readonly description?: string
}

type PromptOptions<A> = Effect.Effect<A, Aborted | CommandFailed>

export class Prompts extends Context.Service<Prompts, {
  /** Whether there is somebody to ask. */
  readonly isInteractive: Effect.Effect<boolean>
  readonly select: <A>(message: string, choices: ReadonlyArray<Choice<A>>) => PromptOptions<A>
  readonly confirm: (message: string, initial: boolean) => PromptOptions<boolean>
  /** Asks again for as long as `validate` says what is wrong. */
  readonly text: (
    message: string,
    options: { readonly initial: string; readonly validate: (text: string) => Effect.Effect<string, string> }
  ) => PromptOptions<string>
  readonly hidden: (message: string) => PromptOptions<Redacted.Redacted>
}>()("@svc/cli/Prompts") {
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
      // standard input is not even looked at where nobody will be asked
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
            // the default is said, not typed in: whoever wants another one need not delete it first
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
