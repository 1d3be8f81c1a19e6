import * as DiscordServer from "@svc-runtime/test-support/platforms/DiscordServer"
import * as AdapterSuite from "@svc-runtime/test-support/suites/AdapterSuite"
import { Effect } from "effect"
import { generateKeyPairSync, sign } from "node:crypto"
import * as Discord from "../../src/discord/index.ts"

const { privateKey, publicKey } = generateKeyPairSync("ed25519")

interface Row {
  readonly components: ReadonlyArray<{ readonly label: string }>
}

const labelsOf = (rows: unknown): ReadonlyArray<string> =>
  Array.isArray(rows) ? rows.flatMap(({ components }: Row) => components.map(({ label }) => label)) : []

AdapterSuite.suite(
  "Discord",
  Effect.map(DiscordServer.make(), (server) => {
    let next = 1
    const base = () => ({
      id: `10${next++}`,
      application_id: server.application,
      token: `t${next}`,
      channel_id: "5",
      guild_id: "9",
      member: { user: { id: "7", username: "ann", global_name: "Ann" } }
    })
    return {
      adapter: Discord.adapter({
        token: server.token,
        applicationId: server.application,
        publicKey: publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex"),
        apiUrl: server.url
      }),
      written: (text) => {
        const interaction = base()
        server.defer(interaction.token)
        return JSON.stringify({
          ...interaction,
          type: 2,
          data: { name: "ask", options: [{ name: "text", type: 3, value: text }] }
        })
      },
      signed: (body) => {
        const time = String(Math.floor(Date.now() / 1000))
        const signature = sign(null, Buffer.from(`${time}${body}`), privateKey).toString("hex")
        return {
          method: "POST",
          url: "https://svc.example/channels/discord/events",
          headers: {
            "content-type": "application/json",
            "x-signature-timestamp": time,
            "x-signature-ed25519": signature
          },
          body: new TextEncoder().encode(body),
          at: Date.now()
        }
      },
      shown: () => server.messages.map(({ values }) => String(values["content"] ?? "")),
      buttons: () => labelsOf(server.messages.at(-1)?.values["components"]),
      pressed: ({ id }, choice) =>
        JSON.stringify({ ...base(), type: 3, data: { custom_id: `${id}:${choice}`, component_type: 2 } }),
      secrets: [server.token]
    }
  })
)
