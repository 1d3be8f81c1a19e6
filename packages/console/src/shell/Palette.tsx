// Ctrl K: finds pages, components, sessions and actions by what the person types.
import { ArrowRight, type IconNode, Moon, Plus, Search } from "lucide"
import { useEffect, useRef, useState } from "preact/hooks"
import { toggleScheme } from "../colours.ts"
import { allPages } from "../pages.ts"
import { Icon } from "../parts/Icon.tsx"
import { go, href } from "../Route.ts"
import { may, mayOpen } from "../service/Caller.ts"
import { type Component, kindIcons, kindOf, loadComponents } from "../service/components.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

interface Choice {
  readonly key: string
  readonly title: string
  readonly kind: string
  readonly icon: IconNode
  readonly choose: () => void
}

const pageChoices = (): ReadonlyArray<Choice> =>
  allPages.filter(({ path }) => mayOpen(path)).map(({ icon, path, title }) => ({
    key: `page ${path}`,
    title,
    kind: "Page",
    icon,
    choose: () => go(href([path]))
  }))

const componentChoices = (components: ReadonlyArray<Component>): ReadonlyArray<Choice> =>
  components.map(({ id, kind, name }) => ({
    key: `${kind} ${id}`,
    title: name ?? id,
    kind: `${kind[0]?.toUpperCase()}${kind.slice(1)}`,
    icon: kindIcons[kind],
    choose: () => go(href(["chat", kind, id]))
  }))

const actions = (): ReadonlyArray<Choice> => [
  { key: "scheme", title: "Switch between light and dark", kind: "Action", icon: Moon, choose: toggleScheme },
  ...(mayOpen("components") && may("components:write")
    ? [{
      key: "component",
      title: "New component",
      kind: "Action",
      icon: Plus,
      choose: () => go(href(["components"], { new: "1" }))
    }]
    : [])
]

const sessionChoices = async (name: string, signal: AbortSignal): Promise<ReadonlyArray<Choice>> => {
  if (name.length < 2 || !may("sessions:read")) return []
  const { data } = await svc().sessions.list(
    { session_name: name, limit: 6, sort_by: "updated_at", sort_order: "desc" },
    { signal }
  )
  return data.flatMap(({ agent_id, session_id, session_name, session_type, team_id, workflow_id }) => {
    const id = agent_id ?? team_id ?? workflow_id
    const kind = kindOf(session_type ?? undefined)
    return id === null || id === undefined || kind === undefined ? [] : [{
      key: `session ${session_id}`,
      title: session_name === "" ? session_id : session_name,
      kind: "Session",
      icon: kindIcons[kind],
      choose: () => go(href(["chat", kind, id], { session: session_id }))
    }]
  })
}

/** A run is found by its whole id. */
const runChoices = (text: string): ReadonlyArray<Choice> =>
  /^[\w-]{16,}$/.test(text) && may("sessions:read")
    ? [{
      key: "run",
      title: `Open the run ${text}`,
      kind: "Run",
      icon: ArrowRight,
      choose: () => go(href(["runs", text]))
    }]
    : []

/** Milliseconds that a person stops typing before the sessions are searched. */
const pause = 200

const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pause)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

const Found = ({ close }: { readonly close: () => void }) => {
  const [text, setText] = useState("")
  const [at, setAt] = useState(0)
  const wanted = text.trim()
  const searched = useSettled(wanted)
  const { value: components = [] } = useLoaded(loadComponents, [])
  const { value: sessions = [] } = useLoaded((signal) => sessionChoices(searched, signal), [searched])
  const words = wanted.toLowerCase().split(/\s+/)
  const fits = ({ kind, title }: Choice) => {
    const all = `${title} ${kind}`.toLowerCase()
    return words.every((word) => all.includes(word))
  }
  const found = componentChoices(components)
  const known = wanted === ""
    ? [...found.slice(0, 8), ...pageChoices(), ...actions()]
    : [...found, ...pageChoices(), ...actions()].filter(fits)
  const choices = [...known, ...(searched === wanted ? sessions : []), ...runChoices(wanted)].slice(0, 50)
  const chosen = Math.min(at, choices.length - 1)
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => list.current?.children[chosen]?.scrollIntoView({ block: "nearest" }), [chosen])
  const choose = (choice: Choice | undefined) => {
    if (choice === undefined) return
    close()
    choice.choose()
  }
  return (
    <>
      <p class="field">
        <Icon of={Search} />
        <input
          autoFocus
          role="combobox"
          aria-label="Search pages, components, sessions and actions"
          aria-expanded="true"
          aria-controls="palette-choices"
          aria-activedescendant={choices.length === 0 ? undefined : `palette-${chosen}`}
          placeholder="Where to?"
          value={text}
          onInput={({ currentTarget: { value } }) => {
            setText(value)
            setAt(0)
          }}
          onKeyDown={(event) => {
            const { key } = event
            if (key === "Enter" && !event.isComposing) choose(choices[chosen])
            else if (key === "ArrowDown") setAt(Math.min(choices.length - 1, chosen + 1))
            else if (key === "ArrowUp") setAt(Math.max(0, chosen - 1))
            else return
            event.preventDefault()
          }}
        />
      </p>
      <ul role="listbox" id="palette-choices" aria-label="Found" ref={list}>
        {choices.map((choice, index) => (
          <li
            key={choice.key}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            onPointerMove={() => setAt(index)}
            onClick={() => choose(choice)}
          >
            <Icon of={choice.icon} />
            <span class="name">{choice.title}</span> <span class="quiet">{choice.kind}</span>
          </li>
        ))}
      </ul>
      {choices.length === 0 ? <p class="quiet nothing" role="status">Nothing found</p> : null}
    </>
  )
}

export const Palette = ({ close, isOpen }: { readonly isOpen: boolean; readonly close: () => void }) => {
  const place = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen) place.current?.showModal()
    else place.current?.close()
  }, [isOpen])
  return (
    <dialog
      class="palette"
      ref={place}
      aria-label="Search"
      // by Escape: the event of closing comes later, when it may be open again
      onCancel={close}
      onClick={({ target }) => {
        if (target === place.current) close()
      }}
    >
      {isOpen ? <Found close={close} /> : null}
    </dialog>
  )
}
