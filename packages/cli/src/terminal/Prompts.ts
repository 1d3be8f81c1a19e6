// Prompts in the terminal, each answered by a line, and repeated after an unexpected one. With --json, or if standard
// input is not a terminal, a prompt fails and names the option that answers it. Prompts are written to standard error,
// so that `svc … > file` still shows them.
import { Context, Effect, Layer, Redacted, Stdio } from "effect"
import { type Aborted, CommandFailed } from "../CliError.ts"
import { Mode } from "../Mode.ts"
import { Lines } from "./Lines.ts"
import { Output } from "./Output.ts"
import { onOneLine, printable } from "./Printable.ts"

export interface Choice<A> {
  readonly title: string
  readonly value: A
  /** Chooses it as its number does. Default: the title. */
  readonly name?: string
}

type Reply<A> = Effect.Effect<A, Aborted | CommandFailed>

export class Prompts extends Context.Service<Prompts, {
  /** Prompts are possible in a terminal, without --json. */
  readonly isInteractive: Effect.Effect<boolean>
  /** A numbered list. The first choice is the default. */
  readonly select: <A>(message: string, choices: ReadonlyArray<Choice<A>>) => Reply<A>
  readonly confirm: (message: string, initial: boolean) => Reply<boolean>
  /** Repeats the prompt while `validate` returns an error. */
  readonly text: (
    message: string,
    options: { readonly initial: string; readonly validate: (text: string) => Effect.Effect<string, string> }
  ) => Reply<string>
  /** A line of a conversation. Undefined: the conversation is over. */
  readonly message: Effect.Effect<string | undefined, CommandFailed>
  /** Resolves when a person stops a run, by Ctrl-C or Escape. */
  readonly stopKey: Effect.Effect<void>
  /** Repeats the prompt while the line is blank. */
  readonly hidden: (message: string) => Reply<Redacted.Redacted>
}>()("@svc-runtime/cli/terminal/Prompts") {
  static readonly layer = Layer.effect(
    Prompts,
    Effect.gen(function*() {
      const stdio = yield* Stdio.Stdio
      const output = yield* Output
      const lines = yield* Lines
      // standard input is not opened if prompts are impossible
      const isInteractive = Effect.flatMap(
        Mode,
        (mode) => mode === "human" ? stdio.stdinIsTerminal : Effect.succeed(false)
      )

      const whenInteractive = Effect.fnUntraced(function*<A>(message: string, asking: Effect.Effect<A, Aborted>) {
        if (yield* isInteractive) return yield* asking
        return yield* new CommandFailed({
          message: `Input required: ${message}`,
          hint: "Say it by a flag, or run the command in a terminal without --json."
        })
      })

      /** Asks until `answer` accepts the line. It fails with what is expected. */
      const ask = <A>(
        prompt: string,
        answer: (line: string) => Effect.Effect<A, string>,
        options?: { readonly isHidden?: boolean }
      ): Effect.Effect<A, Aborted> =>
        Effect.flatMap(
          lines.read(`${onOneLine(prompt)} `, options),
          (line) =>
            Effect.catch(answer(line.trim()), (expected) =>
              Effect.andThen(output.prompt(expected), ask(prompt, answer, options)))
        )

      return Prompts.of({
        isInteractive,
        select: (message, choices) => {
          const listed = choices.map(({ title }, at) => `${String(at + 1).padStart(4)}  ${printable(title)}`)
          const expected = `Expected a number from 1 to ${choices.length}, or a name of the list.`
          const answer = (line: string) => {
            const at = choices.findIndex(({ name, title }, at) => line === String(at + 1) || line === (name ?? title))
            const choice = choices[line === "" ? 0 : at]
            return choice === undefined ? Effect.fail(expected) : Effect.succeed(choice.value)
          }
          return whenInteractive(
            message,
            Effect.andThen(output.prompt(listed.join("\n")), ask(`${message} [1]:`, answer))
          )
        },
        confirm: (message, initial) => {
          const answers = new Map([["", initial], ["y", true], ["yes", true], ["n", false], ["no", false]])
          const answer = (line: string) => {
            const found = answers.get(line.toLowerCase())
            return found === undefined ? Effect.fail("Expected y or n.") : Effect.succeed(found)
          }
          return whenInteractive(message, ask(`${message} ${initial ? "[Y/n]" : "[y/N]"}`, answer))
        },
        text: (message, { initial, validate }) =>
          whenInteractive(
            message,
            ask(`${message}${initial === "" ? "" : ` [${initial}]`}:`, (line) => validate(line === "" ? initial : line))
          ),
        message: whenInteractive("a message", lines.read("> ", { isMessage: true })).pipe(
          Effect.map((line) => line.trim() === "" ? undefined : line),
          Effect.catchTag("Aborted", () => Effect.undefined)
        ),
        stopKey: lines.stopKey,
        hidden: (message) =>
          whenInteractive(
            message,
            ask(
              `${message}:`,
              (line) => line === "" ? Effect.fail("Expected a value.") : Effect.succeed(Redacted.make(line)),
              { isHidden: true }
            )
          )
      })
    })
  )
}
