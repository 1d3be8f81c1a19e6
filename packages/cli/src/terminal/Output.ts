// The only writer of standard output and standard error. With --json it writes one document and no other text.
// Otherwise text goes to standard output, and prompts, warnings, errors and spinners to standard error. Colours and
// spinners are for terminals only. Control characters are shown as escapes: texts can come from the service.
import { Console, Context, Effect, Layer, type Schema, Stdio, Stream, Terminal } from "effect"
import { Environment } from "../Environment.ts"
import { Mode } from "../Mode.ts"
import { type OutputEnds, OutputReader } from "./OutputReader.ts"
import { onOneLine, printable } from "./Printable.ts"
import { type Style, style } from "./Style.ts"
import { type Column, table } from "./Table.ts"
import { cut } from "./TextWidth.ts"

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const eraseLine = "\r\u001B[2K"

/** ASCII only, so that no terminal, log or shell can corrupt it. */
const escaped = (text: string): string =>
  text.replace(/[\u007F-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

export class Output extends Context.Service<
  Output,
  OutputEnds & {
    /** How standard output is coloured. */
    readonly style: Style
    /** The number of columns. */
    readonly width: Effect.Effect<number>
    /** The document of a command with --json. */
    readonly print: (document: Schema.Json) => Effect.Effect<void>
    /** An event or an error of a command with --json: a line of its own. */
    readonly jsonLine: (document: Schema.Json) => Effect.Effect<void>
    /** A piece of a text, without a line break. `endText` ends its line. */
    readonly write: (text: string) => Effect.Effect<void>
    readonly endText: Effect.Effect<void>
    readonly line: (text?: string) => Effect.Effect<void>
    readonly heading: (text: string) => Effect.Effect<void>
    readonly success: (text: string) => Effect.Effect<void>
    readonly table: (columns: ReadonlyArray<Column>, rows: ReadonlyArray<ReadonlyArray<string>>) => Effect.Effect<void>
    /** A line about a question, on standard error. */
    readonly prompt: (text: string) => Effect.Effect<void>
    /** Writes one line about the progress to standard error. */
    readonly note: (text: string) => Effect.Effect<void>
    readonly warn: (text: string) => Effect.Effect<void>
    readonly error: (text: string) => Effect.Effect<void>
    /** Writes an error of the command line, in every mode. */
    readonly usageError: (text: string) => Effect.Effect<void>
    /** Spinners are shown in a terminal, for people. */
    readonly isMoving: Effect.Effect<boolean>
    /** Like `waiting`, with a text that changes. */
    readonly progress: <A, E, R>(
      text: string,
      effect: (say: (text: string) => Effect.Effect<void>) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
    /** Shows a spinner during an operation without prompts or output. */
    readonly waiting: <A, E, R>(text: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@svc-runtime/cli/terminal/Output") {
  static readonly layer = Layer.effect(
    Output,
    Effect.gen(function*() {
      const environment = yield* Environment
      const reader = yield* OutputReader
      const stdio = yield* Stdio.Stdio
      const terminal = yield* Terminal.Terminal
      const stderrIsTerminal = yield* stdio.stderrIsTerminal
      const isDumb = environment.variable("TERM") === "dumb"
      const forced = !["0", "false", undefined].includes(environment.variable("FORCE_COLOR"))
      const hasColour = (isTerminal: boolean) =>
        environment.variable("NO_COLOR") === undefined && !isDumb && (forced || isTerminal)
      const stdoutIsTerminal = yield* stdio.stdoutIsTerminal
      const out = style(hasColour(stdoutIsTerminal))
      const err = style(hasColour(stderrIsTerminal))

      const forPeople = (write: Effect.Effect<void>) =>
        Effect.flatMap(Mode, (mode) => mode === "human" ? write : Effect.void)
      const columns = Effect.map(
        terminal.columns,
        (columns) => columns > 0 ? columns : Number(environment.variable("COLUMNS")) || 80
      )
      /** A file or another program has no width: each row of a table stays on its line. */
      const columnsOfTables = stdoutIsTerminal
        ? columns
        : Effect.succeed(Number(environment.variable("COLUMNS")) || Number.POSITIVE_INFINITY)
      const raw = (text: string) => Effect.ignore(Stream.run(Stream.make(text), stdio.stderr({ endOnDone: false })))
      let isInText = false
      const write = (text: string) =>
        forPeople(Effect.suspend(() => {
          if (text !== "") isInText = !text.endsWith("\n")
          return Effect.ignore(Stream.run(Stream.make(printable(text)), stdio.stdout({ endOnDone: false })))
        }))
      const endText = Effect.suspend(() => isInText ? write("\n") : Effect.void)
      /** A line on standard error, never in the line of a text: a terminal shows both. */
      const below = (text: string) => Effect.andThen(endText, Console.error(text))
      const isMoving = Effect.map(Mode, (mode) => mode === "human" && stderrIsTerminal && !isDumb)
      const spin = (text: () => string) =>
        Effect.forEach(
          frames,
          (frame) =>
            Effect.andThen(
              Effect.flatMap(
                columns,
                (width) => raw(`${eraseLine}${err.cyan(frame)} ${cut(onOneLine(text()), width - 3)}`)
              ),
              Effect.sleep("80 millis")
            ),
          { discard: true }
        ).pipe(Effect.forever, Effect.ensuring(raw(eraseLine)))
      const progress: Output["Service"]["progress"] = (text, effect) =>
        Effect.suspend(() => {
          let shown = text
          const running = effect((text) =>
            Effect.sync(() => {
              shown = text
            })
          )
          return Effect.flatMap(
            isMoving,
            (isMoving) => isMoving ? Effect.raceFirst(running, spin(() => shown)) : running
          )
        })

      return Output.of({
        ...reader,
        style: out,
        width: columns,
        print: (document) => Console.log(escaped(JSON.stringify(document, null, 2))),
        jsonLine: (document) => Console.log(escaped(JSON.stringify(document))),
        write,
        endText,
        line: (text = "") => forPeople(Console.log(printable(text))),
        heading: (text) => forPeople(Console.log(out.bold(out.green(printable(text))))),
        success: (text) => forPeople(Console.log(out.green(printable(text)))),
        table: (header, rows) =>
          forPeople(Effect.flatMap(columnsOfTables, (width) => Console.log(table(header, rows, width, out)))),
        prompt: (text) => forPeople(Console.error(printable(text))),
        note: (text) => forPeople(below(err.dim(onOneLine(text)))),
        warn: (text) => forPeople(below(err.magenta(printable(text)))),
        error: (text) => forPeople(below(err.red(printable(text)))),
        usageError: (text) => below(err.red(printable(text))),
        isMoving,
        progress,
        waiting: (text, effect) => progress(text, () => effect)
      })
    })
  )
}
