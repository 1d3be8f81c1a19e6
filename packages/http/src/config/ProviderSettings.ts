// The settings of the providers of models: each is named in the table of the providers.
import { type Credentials, secretName, textName } from "@svc-runtime/agents/Models"
import { Config as Env } from "effect"
import { secret, text } from "./ConfigReaders.ts"

const all = <Name extends string, A>(names: Readonly<Record<Name, string>>, read: (name: string) => Env.Config<A>) =>
  Env.all(
    Object.fromEntries(Object.entries<string>(names).map(([name, variable]) => [name, read(variable)])) as Record<
      Name,
      Env.Config<A>
    >
  )

export const providerSettings: Env.Config<Credentials> = Env.map(
  Env.all([all(secretName, secret), all(textName, text)]),
  ([secrets, texts]) => ({ ...secrets, ...texts })
)
