// The settings of the protocols beside the HTTP API: whether each is served, and where.
import { flagOr, text } from "@svc-runtime/http/config/ConfigReaders"
import { defaultProtocols, type Protocols } from "@svc-runtime/http/Settings"
import { Config as Env, Schema } from "effect"

/** Empty, or segments such as `/a2a`: letters, digits, `-` and `_`, without a slash at the end. */
const ProtocolPrefix = Schema.String.check(Schema.isPattern(/^(\/[A-Za-z0-9_-]+){0,4}$/))

const url = Env.map(text("PUBLIC_URL"), (value) => value?.trim().replace(/(?<!\/)\/+$/, ""))

type Named = Exclude<keyof Protocols, "publicUrl">

const enabled = (name: string, protocol: Named) => flagOr(name, defaultProtocols[protocol].enabled)

const protocol = (name: string, protocol: "a2a" | "copilotkit" | "openai") =>
  Env.all({
    enabled: enabled(name, protocol),
    prefix: Env.schema(ProtocolPrefix, `${name}_PREFIX`).pipe(Env.withDefault(defaultProtocols[protocol].prefix))
  })

export const protocolSettings: Env.Config<Protocols> = Env.all({
  publicUrl: url,
  a2a: protocol("A2A", "a2a"),
  agui: Env.all({
    enabled: enabled("AGUI", "agui"),
    prefix: Env.schema(ProtocolPrefix, "AGUI_PREFIX").pipe(Env.withDefault("")),
    component: text("AGUI_COMPONENT")
  }),
  chat: Env.all({ enabled: enabled("CHAT", "chat") }),
  copilotkit: protocol("COPILOTKIT", "copilotkit"),
  openai: protocol("OPENAI", "openai")
})
