// The environment of a run: directory, home, variables. Commands use this service instead of the process, so that tests
// control it.
import { Context, Layer } from "effect"

/** A flag of all commands, which may stand anywhere. It does what the variable NO_COLOR does. */
export const noColour = "--no-color"

export interface EnvironmentValues {
  /** The working directory. */
  readonly cwd: string
  readonly home: string
  /** The name in Node: `darwin`, `linux`, `win32` … */
  readonly platform: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

export class Environment extends Context.Service<Environment, {
  readonly cwd: string
  readonly home: string
  readonly platform: string
  /** The value of a variable. An empty one counts as unset. */
  readonly variable: (name: string) => string | undefined
}>()("@svc-runtime/cli/Environment") {
  static readonly layer = ({ cwd, home, platform, variables }: EnvironmentValues): Layer.Layer<Environment> =>
    Layer.succeed(Environment, {
      cwd,
      home,
      platform,
      variable: (name) => variables[name] === "" ? undefined : variables[name]
    })
}
