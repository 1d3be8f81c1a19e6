// What people do with commands, buttons and forms, as Discord calls it: interactions.
import type * as Json from "@svc-runtime/domain/Json"
import { Option, Schema } from "effect"
import type { Context, Event, Field, Received } from "../Adapter.ts"
import { Id, nameOf, User } from "./DiscordMessages.ts"

const Value = Schema.Struct({
  custom_id: Schema.String,
  value: Schema.optionalKey(Schema.String),
  values: Schema.optionalKey(Schema.Array(Schema.String))
})

const Interaction = Schema.Struct({
  id: Id,
  type: Schema.Int,
  token: Schema.String.check(Schema.isMaxLength(1000)),
  channel_id: Schema.optionalKey(Id),
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
const maxName = 99
const maxLabel = 45
const maxInput = 4000
const maxOptions = 25
const maxOption = 100

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`

/** A choice between yes and no has JSON as its values. */
const optionsOf = ({ options = [], type, value }: Field): ReadonlyArray<Json.Object> => {
  const all = type === "boolean" ? [["yes", "true"], ["no", "false"]] : options.map((option) => [option, option])
  return all.map(([label = "", given = ""]) => ({ label, value: given, ...(given === value && { default: true }) }))
}

const isChosen = ({ type }: Field): boolean => type === "boolean" || type === "choice"

/** A field that has a value and is left empty is an empty text. One without a value is left out. */
const idOf = ({ name, value }: Field): string => `${value === undefined || value === "" ? "?" : "="}${name}`

const componentOf = (field: Field): Json.Object => {
  const { isRequired: required, type, value } = field
  const shared = { custom_id: idOf(field), required }
  if (isChosen(field)) return { type: 3, ...shared, options: optionsOf(field) }
  const isLong = type === "paragraph" || value?.includes("\n") === true
  return { type: 4, ...shared, style: isLong ? 2 : 1, ...(value !== undefined && { value }) }
}

const modalOf = (id: string, title: string, fields: ReadonlyArray<Field>): Json.Object => ({
  type: responses.modal,
  data: {
    custom_id: id,
    title: cut(title, maxLabel),
    components: fields.map((field) => ({
      type: 18,
      label: cut(field.label === "" ? field.name : field.label, maxLabel),
      component: componentOf(field)
    }))
  }
})

const fits = ({ name, options = [], type, value = "" }: Field): boolean =>
  name !== "" && name.length <= maxName && value.length <= maxInput && (type !== "choice" || (
    options.length > 0 && options.length <= maxOptions && new Set(options).size === options.length &&
    options.every((option) => option !== "" && option.length <= maxOption)
  ))

const arrivedOf = (interaction: Interaction, channel: string, user: typeof User.Type) => ({
  id: interaction.id,
  thread: channel,
  sender: { id: user.id, name: nameOf(user) },
  isDirect: interaction.guild_id === undefined
})

/** The button and the form have the ids of the prompt and of the choice. */
const pressOf = (id: string | undefined) => {
  const [, prompt, choice] = /^(\w{1,24}):(\w{1,20})$/.exec(id ?? "") ?? []
  return prompt === undefined || choice === undefined ? undefined : { prompt, choice }
}

/** A form that Discord cannot show is answered by text. */
const formOf = async (press: { readonly prompt: string; readonly choice: string }, context: Context) => {
  const prompt = await context.prompt?.(press.prompt)
  const choice = prompt?.choices.find(({ id }) => id === press.choice)
  const { fields = [], title = "" } = choice?.form ?? {}
  const isShown = choice !== undefined && fields.length > 0 && fields.length <= maxFields && fields.every(fits)
  return isShown ? modalOf(`${press.prompt}:${press.choice}`, title === "" ? choice.label : title, fields) : undefined
}

const valuesOf = ({ data }: Interaction): Json.Object =>
  Object.fromEntries(
    (data?.components ?? []).flatMap(({ component }) => {
      if (component === undefined) return []
      const { custom_id: id, value, values } = component
      const given = value ?? values?.[0] ?? ""
      return given === "" && id.startsWith("?") ? [] : [[id.slice(1), given] as const]
    })
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
  if (form !== undefined) return respond(form)
  const values = isModal ? { values: valuesOf(interaction) } : {}
  const event: Event = { type: "press", ...arrived, place: { channel }, ...press, ...values }
  return respond({ type: responses.deferredUpdate }, [event])
}
