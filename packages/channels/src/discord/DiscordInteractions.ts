// What people do with commands, buttons and forms, as Discord calls it: interactions.
import type * as Json from "@svc-runtime/domain/Json"
import { Option, Schema } from "effect"
import type { Choice, Context, Event, Field, Received } from "../Adapter.ts"

/** What Discord calls people, channels and interactions. */
const Snowflake = Schema.String.check(Schema.isPattern(/^\d{1,20}$/))

const User = Schema.Struct({
  id: Snowflake,
  username: Schema.String,
  global_name: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const Value = Schema.Struct({
  custom_id: Schema.String,
  value: Schema.optionalKey(Schema.String),
  values: Schema.optionalKey(Schema.Array(Schema.String))
})

const Interaction = Schema.Struct({
  id: Snowflake,
  type: Schema.Int,
  token: Schema.String.check(Schema.isMaxLength(1000)),
  channel_id: Schema.optionalKey(Snowflake),
  guild_id: Schema.optionalKey(Schema.String),
  member: Schema.optionalKey(Schema.Struct({ user: User })),
  user: Schema.optionalKey(User),
  data: Schema.optionalKey(Schema.Struct({
    name: Schema.optionalKey(Schema.String),
    custom_id: Schema.optionalKey(Schema.String),
    options: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.Json }))),
    components: Schema.optionalKey(Schema.Array(Schema.Struct({ component: Schema.optionalKey(Value) })))
  }))
})

type Interaction = typeof Interaction.Type

const decode = Schema.decodeUnknownOption(Interaction)

const kinds = { ping: 1, command: 2, component: 3, modal: 5 }

/** Types of responses. */
const responses = { pong: 1, deferred: 5, deferredUpdate: 6, modal: 9 }

/** The token of an interaction counts for fifteen minutes; the last seconds are not used. */
const tokenFor = 14.5 * 60 * 1000

const respond = (response: Json.Object, events: ReadonlyArray<Event> = []): Received => ({
  acknowledgement: { headers: { "content-type": "application/json" }, body: JSON.stringify(response) },
  events
})

const maxFields = 5

const componentOf = (field: Field): Json.Object => {
  const options = field.type === "boolean" ? ["yes", "no"] : field.options
  const shared = { custom_id: field.name, required: field.isRequired }
  return options === undefined
    ? {
      type: 4,
      ...shared,
      style: field.type === "paragraph" ? 2 : 1,
      ...(field.value !== undefined && { value: field.value })
    }
    : { type: 3, ...shared, options: options.map((value) => ({ label: value.slice(0, 100), value })) }
}

const modalOf = (id: string, { title, fields }: NonNullable<Choice["form"]>): Json.Object => ({
  type: responses.modal,
  data: {
    custom_id: id,
    title: title.slice(0, 45),
    components: fields.map((field) => ({
      type: 18,
      label: field.label.slice(0, 45),
      component: componentOf(field)
    }))
  }
})

const arrivedOf = (interaction: Interaction, channel: string, { global_name, id, username }: typeof User.Type) => ({
  id: interaction.id,
  thread: channel,
  sender: { id, name: global_name ?? username },
  isDirect: interaction.guild_id === undefined
})

/** The button and the form have the ids of the prompt and of the choice. */
const pressOf = (id: string | undefined) => {
  const [, prompt, choice] = /^(\w{1,24}):(\w{1,20})$/.exec(id ?? "") ?? []
  return prompt === undefined || choice === undefined ? undefined : { prompt, choice }
}

/** A form with more fields than Discord shows is asked for in words. */
const formOf = async (press: { readonly prompt: string; readonly choice: string }, context: Context) => {
  const prompt = await context.prompt?.(press.prompt)
  const form = prompt?.choices.find(({ id }) => id === press.choice)?.form
  return form === undefined || form.fields.length === 0 || form.fields.length > maxFields ? undefined : form
}

const valuesOf = ({ data }: Interaction): Json.Object =>
  Object.fromEntries(
    (data?.components ?? []).flatMap(({ component }) =>
      component === undefined ? [] : [[component.custom_id, component.value ?? component.values?.[0] ?? ""]]
    )
  )

/** `/new` is a command of the service; the text of `/ask` is a message. Undefined: the request cannot be read. */
export const read = async (body: Json.Value, at: number, context: Context): Promise<Received | undefined> => {
  const interaction = Option.getOrUndefined(decode(body))
  if (interaction === undefined) return undefined
  if (interaction.type === kinds.ping) return respond({ type: responses.pong })
  const { channel_id: channel, data, token } = interaction
  const user = interaction.member?.user ?? interaction.user
  if (channel === undefined || user === undefined) return undefined
  const arrived = arrivedOf(interaction, channel, user)
  if (interaction.type === kinds.command) {
    const place = { channel, token, until: at + tokenFor }
    const text = (data?.options ?? []).map(({ value }) => String(value)).join(" ")
    const event: Event = data?.name === "ask"
      ? { type: "message", ...arrived, place, text }
      : { type: "command", ...arrived, place, name: data?.name ?? "", text }
    return respond({ type: responses.deferred }, [event])
  }
  const press = pressOf(data?.custom_id)
  if (press === undefined) return respond({ type: responses.deferredUpdate })
  const isModal = interaction.type === kinds.modal
  const form = isModal ? undefined : await formOf(press, context)
  if (form !== undefined) return respond(modalOf(`${press.prompt}:${press.choice}`, form))
  const values = isModal ? { values: valuesOf(interaction) } : {}
  const event: Event = { type: "press", ...arrived, place: { channel }, ...press, ...values }
  return respond({ type: responses.deferredUpdate }, [event])
}
