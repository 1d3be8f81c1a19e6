// `svc channels`: platforms on which components answer, and the own accounts on them.
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { CommandFailed } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import * as Groups from "../service/Groups.ts"
import * as ListAnswer from "../service/ListAnswer.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { shown } from "../terminal/Instant.ts"
import { Output } from "../terminal/Output.ts"
import { Prompts } from "../terminal/Prompts.ts"

const channel = Argument.String("channel").pipe(Argument.withDescription("Id of the channel"))

// `svc channels list`

const columns = [
  { title: "Channel" },
  { title: "Platform" },
  { title: "Answers" },
  { title: "Access" },
  { title: "Arrived" },
  { title: "Written" },
  { title: "Waiting" },
  { title: "Last error", wraps: true }
]

const list = Command.make("list", { limit: Flags.limit, ...AdminTarget.flags }, ({ json, limit, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const service = yield* ServiceClient.open(given)
      return yield* ListAnswer.of({
        name: "channels",
        read: (action) => ServiceClient.call(service, action, Groups.channels, "list", { query: { limit } }),
        columns,
        rowOf: ({ access, component_id, component_kind, health, id, platform }) => [
          id,
          platform,
          `${component_kind}/${component_id}`,
          access,
          shown(health?.last_event_at ?? null),
          shown(health?.last_post_at ?? null),
          health === null ? "-" : String(health.waiting_events + health.waiting_replies),
          health?.errors[0]?.message ?? "-"
        ],
        empty: "There are no channels. The option channels of serve declares them: svc docs channels."
      })
    })
  )).pipe(
    Command.annotate(Variables, [address, ...credentials]),
    Command.withDescription("List the channels, with what each did last, what waits, and what has failed last."),
    Command.withShortDescription("List channels"),
    Command.withExamples([{ command: "svc channels list" }])
  )

// `svc channels test ID`

const test = Command.make("test", { channel, ...AdminTarget.flags }, ({ channel, json, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      const tested = yield* ServiceClient.call(service, `Testing channel ${channel}`, Groups.channels, "test", {
        params: { channel_id: channel }
      })
      if (!tested.ok) return yield* new CommandFailed({ message: tested.error?.message ?? "The platform refuses it" })
      return { document: { ...tested } as never, human: output.success(`The agent is ${tested.identity ?? "known"}.`) }
    })
  )).pipe(
    Command.annotate(Variables, [address, ...credentials]),
    Command.withDescription("Call the platform with the settings of a channel. Nothing is written to people."),
    Command.withShortDescription("Test a channel"),
    Command.withExamples([{ command: "svc channels test telegram" }])
  )

// `svc channels send ID TEXT --to USER`

const sendFlags = {
  channel,
  text: Argument.String("text").pipe(Argument.withDescription("What is written, in Markdown")),
  to: Flags.text("to", "USER", "A user who has linked an account"),
  sender: Flags.text("sender", "ID", "What the platform calls the person"),
  thread: Flags.text("thread", "ID", "A conversation"),
  ...AdminTarget.flags
}

const send = Command.make(
  "send",
  sendFlags,
  ({ channel, json, sender, text, thread, to: user_id, ...given }) =>
    present(
      json,
      Effect.gen(function*() {
        const output = yield* Output
        const named = [
          ...(user_id === undefined ? [] : [{ user_id }]),
          ...(sender === undefined ? [] : [{ sender }]),
          ...(thread === undefined ? [] : [{ thread }])
        ]
        const [to, another] = named
        if (to === undefined || another !== undefined) {
          return yield* new CommandFailed({ message: "Give one of --to, --sender and --thread" })
        }
        const service = yield* ServiceClient.open(given)
        const sent = yield* ServiceClient.call(service, `Writing on channel ${channel}`, Groups.channels, "send", {
          params: { channel_id: channel },
          payload: { to: to as never, text }
        })
        return { document: { ...sent } as never, human: output.success(`Message ${sent.id} will be written.`) }
      })
    )
).pipe(
  Command.annotate(Variables, [address, ...credentials]),
  Command.withDescription("Write to a person on a platform."),
  Command.withShortDescription("Write to a person"),
  Command.withExamples([{ command: "svc channels send telegram 'Order 17 is on its way.' --to ann" }])
)

// `svc channels link CODE`, `svc channels links`, `svc channels unlink ID`

const linkFlags = {
  code: Argument.String("code").pipe(Argument.withDescription("The code that the channel has shown to you")),
  user: Flags.text("user", "ID", "The user whose account it is, if the credential names none"),
  ...AdminTarget.flags,
  yes: Flags.toggle("yes", "Do not ask, and trust an address that was read from an env file", "y")
}

const link = Command.make("link", linkFlags, ({ code, json, user, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const [output, prompts] = [yield* Output, yield* Prompts]
      const service = yield* ServiceClient.open(given)
      const whose = yield* ServiceClient.call(service, "Reading the code", Groups.channels, "previewLink", {
        payload: { code }
      })
      const account = `${whose.name ?? whose.sender} on ${whose.channel}`
      const isAsked = !given.yes && (yield* prompts.isInteractive)
      if (isAsked && !(yield* prompts.confirm(`Is ${account} you, and has the channel shown you this code?`, false))) {
        return yield* new CommandFailed({ message: "The account was not linked" })
      }
      const linked = yield* ServiceClient.call(service, "Linking the account", Groups.channels, "confirmLink", {
        payload: { code, ...(user === undefined ? {} : { user_id: user as never }) }
      })
      return { document: { ...linked } as never, human: output.success(`${account} is ${linked.user_id} now.`) }
    })
  )).pipe(
    Command.annotate(Variables, [address, ...credentials]),
    Command.withDescription(
      "Confirm that an account on a platform is yours. Use only a code that the channel has shown to you: who has " +
        "given you another one would act as you."
    ),
    Command.withShortDescription("Link your account on a platform"),
    Command.withExamples([{ command: "svc channels link K7MPQ-2XWDR" }])
  )

const links = Command.make(
  "links",
  { limit: Flags.limit, ...AdminTarget.flags },
  ({ json, limit, ...given }) =>
    present(
      json,
      Effect.gen(function*() {
        const service = yield* ServiceClient.open(given)
        return yield* ListAnswer.of({
          name: "links",
          read: (action) => ServiceClient.call(service, action, Groups.channels, "listLinks", { query: { limit } }),
          columns: ["Link", "Channel", "Account", "User", "May", "Until"].map((title) => ({ title })),
          rowOf: ({ channel, expires_at, id, name, scopes, sender, user_id }) => [
            id,
            channel,
            name ?? sender,
            user_id,
            scopes.length === 0 ? "nothing" : scopes.join(", "),
            shown(expires_at)
          ],
          empty: "No account is linked. Write to a channel, and confirm its code with svc channels link."
        })
      })
    )
).pipe(
  Command.annotate(Variables, [address, ...credentials]),
  Command.withDescription("List your linked accounts on platforms. Admins see those of all users."),
  Command.withShortDescription("List linked accounts"),
  Command.withExamples([{ command: "svc channels links" }])
)

const linkId = Argument.String("link").pipe(Argument.withDescription("Id of the link"))

const unlink = Command.make("unlink", { link: linkId, ...AdminTarget.flags }, ({ json, link, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      yield* ServiceClient.call(service, "Removing the link", Groups.channels, "removeLink", {
        params: { link_id: link }
      })
      return { document: { deleted: link }, human: output.success("The channel does not know the account any more.") }
    })
  )).pipe(
    Command.annotate(Variables, [address, ...credentials]),
    Command.withDescription("Remove a link. The channel asks the person for another code."),
    Command.withShortDescription("Remove a linked account"),
    Command.withExamples([{ command: "svc channels unlink 6f1c…" }])
  )

// `svc channels add PLATFORM`

const addFlags = {
  platform: Argument.Literals("platform", ["slack", "telegram", "discord"]).pipe(
    Argument.withDescription("slack, telegram or discord")
  ),
  name: Flags.textOr("name", "TEXT", "Desk", "How people see the agent"),
  id: Flags.text("id", "ID", "Id of the channel (default: that of the platform)"),
  publicUrl: Flags.text("public-url", "URL", "Public address of the service; without it, the service listens itself"),
  agent: Flags.textOr("agent", "ID", "desk", "The agent that answers"),
  json: Flags.json
}

interface Steps {
  readonly manifest?: object
  readonly steps: ReadonlyArray<string>
}

interface Adding {
  readonly agent: string
  readonly id: string
  readonly name: string
  readonly url: string | undefined
}

const code = (platform: string, { agent, id }: Adding, settings: string) => {
  const named = id === platform.toLowerCase() ? "" : `id: "${id}", `
  return `serve({ channels: [${platform}.make({ ${named}agent: "${agent}", ${settings} })] })`
}

const ofSlack = ({ url, ...adding }: Adding) =>
  Effect.tryPromise({
    try: () => import("@svc-runtime/channels/slack/SlackManifest"),
    catch: () => new CommandFailed({ message: "The manifest cannot be made" })
  }).pipe(Effect.flatMap(({ manifest }) =>
    Effect.try({
      try: (): Steps => ({
        manifest: manifest({ name: adding.name, url }),
        steps: [
          "On https://api.slack.com/apps choose Create New App, From a manifest, and paste the manifest above.",
          "Install App shows the token (xoxb-…), Basic Information the signing secret.",
          url === undefined
            ? "Basic Information, App-Level Tokens: make a token (xapp-…) with the scope connections:write."
            : "After the start, Event Subscriptions shows the address as verified.",
          code(
            "Slack",
            { ...adding, url },
            url === undefined
              ? "token: process.env.SLACK_TOKEN, appToken: process.env.SLACK_APP_TOKEN"
              : "token: process.env.SLACK_TOKEN, signingSecret: process.env.SLACK_SECRET"
          )
        ]
      }),
      catch: (error) => new CommandFailed({ message: error instanceof Error ? error.message : String(error) })
    })
  ))

const ofTelegram = (adding: Adding): Steps => ({
  steps: [
    "Open a chat with @BotFather, send /newbot, and copy the token.",
    adding.url === undefined
      ? "Without a public address the service asks Telegram for what people write."
      : `Telegram calls ${adding.url}: Telegram.setWebhook tells it the address.`,
    code(
      "Telegram",
      adding,
      `token: process.env.TELEGRAM_TOKEN${adding.url === undefined ? "" : ", secret: process.env.TELEGRAM_SECRET"}`
    )
  ]
})

const ofDiscord = (adding: Adding): Steps => ({
  steps: [
    "On https://discord.com/developers/applications choose New Application. Bot shows the token, General Information " +
    "the application id and the public key.",
    `Interactions Endpoint URL: ${adding.url ?? "the public address of the service, and /channels/discord/events"}.`,
    code(
      "Discord",
      adding,
      "token: process.env.DISCORD_TOKEN, applicationId: process.env.DISCORD_ID, publicKey: process.env.DISCORD_KEY"
    )
  ]
})

const add = Command.make("add", addFlags, ({ agent, id, json, name, platform, publicUrl }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const named = id ?? platform
      const url = publicUrl === undefined
        ? undefined
        : `${publicUrl.replace(/(?<!\/)\/+$/, "")}/channels/${named}/events`
      const adding = { agent, id: named, name, url }
      const { manifest, steps } = platform === "slack"
        ? yield* ofSlack(adding)
        : platform === "telegram"
        ? ofTelegram(adding)
        : ofDiscord(adding)
      const lines = [
        ...(manifest === undefined ? [] : [JSON.stringify(manifest, null, 2), ""]),
        ...steps.map((step, index) => `${index + 1}. ${step}`)
      ]
      return {
        document: { platform, steps: [...steps], ...(manifest === undefined ? {} : { manifest }) } as never,
        human: Effect.forEach(lines, (line) => output.line(line), { discard: true })
      }
    })
  )).pipe(
    Command.withDescription("Show how a platform is set up for this service: what to click, and a manifest for Slack."),
    Command.withShortDescription("Show how a platform is set up"),
    Command.withExamples([
      { command: "svc channels add slack --public-url https://svc.example.com" },
      { command: "svc channels add telegram", description: "Without a public address" }
    ])
  )

export const channels = Command.make("channels").pipe(
  Command.withDescription("See the channels, link your accounts on platforms, and write to people."),
  Command.withShortDescription("Manage channels and linked accounts"),
  Command.withSubcommands([list, test, send, link, links, unlink, add])
)
