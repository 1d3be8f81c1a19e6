// A form that creates or changes a resource.
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Problem } from "../parts/Problem.tsx"
import { route } from "../Route.ts"
import { may } from "../service/Caller.ts"
import { type FieldOptions, FormField, isValid } from "./FormField.tsx"
import { useSending } from "./useSending.ts"

export type Values = Readonly<Record<string, string>>

interface Props {
  /** What it does. A form with `isFolded` is opened by it. */
  readonly title: string
  readonly fields: ReadonlyArray<FieldOptions>
  readonly initial?: Values
  readonly button: string
  readonly submit: (values: Values) => Promise<unknown>
  readonly isFolded?: boolean
  /** What it requires. Without it the form is not there. Left out: each caller may. */
  readonly scope?: string
  /** Below the fields: what the service says about their values. */
  readonly preview?: (values: Values) => ComponentChildren
}

const Form = ({ button, fields, initial = {}, preview, submit, title }: Props) => {
  const [values, setValues] = useState(initial)
  const { isSending, problem, send } = useSending()
  const valueOf = ({ choices, name }: FieldOptions) => values[name] ?? choices?.[0]?.[0] ?? ""
  const filled = (): Values => Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]))
  const shown = (field: FieldOptions) => (
    <FormField
      key={field.name}
      field={field}
      value={valueOf(field)}
      change={(text) => setValues((values) => ({ ...values, [field.name]: text }))}
    />
  )
  const further = fields.filter(({ isFurther }) => isFurther === true)
  return (
    <form
      class="resource"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault()
        const sent = filled()
        send(() => submit(sent), () => setValues(initial))
      }}
    >
      {fields.filter(({ isFurther }) => isFurther !== true).map(shown)}
      {further.length === 0 ? null : (
        <details class="wide">
          <summary>Further settings</summary>
          <div class="fields">{further.map(shown)}</div>
        </details>
      )}
      {preview === undefined ? null : <div class="wide">{preview(filled())}</div>}
      <div class="wide">
        <Problem error={problem} />
        <button class="primary" disabled={isSending || !fields.every((field) => isValid(field, valueOf(field)))}>
          {button}
        </button>
      </div>
    </form>
  )
}

export const ResourceForm = (shown: Props) => {
  const [isOpen, setOpen] = useState(route.value.query["new"] === "1")
  if (shown.scope !== undefined && !may(shown.scope)) return null
  if (shown.isFolded !== true) return <Form {...shown} />
  return (
    <details class="fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{shown.title}</summary>
      {isOpen ? <Form {...shown} /> : null}
    </details>
  )
}

/** The fields that have a value. */
export const given = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ""))
