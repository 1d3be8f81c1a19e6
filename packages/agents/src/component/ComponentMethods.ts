// The methods of agents, teams and workflows. Here they have none: what a method does needs a service, which is in a
// higher package. That package declares the methods by declaration merging and puts them into `prototypes`. So `make`
// stays one function with one type, and a component whose methods are not called costs nothing.
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"

interface Component {
  readonly id: string
}

export interface AgentMethods {}

export interface TeamMethods {}

export interface WorkflowMethods {}

export const prototypes: Readonly<Record<ComponentKind.ComponentKind, object>> = { agent: {}, team: {}, workflow: {} }

/** A service of this process that runs the components. While it does, their own methods open no second one. */
export interface Host {
  /** Why they do not, as a part of a sentence. */
  readonly problem: string
  /** What its client is called. */
  readonly client: string
  /** Where `call` is written: outside of the functions of tools and steps. */
  readonly place: string
  /** What is written instead, for the component that a variable of this name has. */
  readonly call: (kind: ComponentKind.ComponentKind, id: string, method: string, variable: string) => string
}

const hosts: Array<Host> = []

/** The host runs the components until the result is called. */
export const hostedBy = (host: Host): () => void => {
  hosts.push(host)
  return () => {
    const index = hosts.indexOf(host)
    if (index >= 0) hosts.splice(index, 1)
  }
}

/** The newest one, of several. */
export const currentHost = (): Host | undefined => hosts.at(-1)

type Made = (kind: ComponentKind.ComponentKind, component: Component) => void

let made: Made = () => {}

/** Calls the function with each component that is made from now on. */
export const onMade = (call: Made): void => {
  made = call
}

/**
 * The component with the methods of its kind. It is a copy, because V8 keeps an object with this many assigned fields
 * as a table: each run reads and copies its agent, and one copy of a table took 30 µs and 9 KB, not 0.4 µs and 1 KB.
 */
export const withMethods = <C extends Component>(
  kind: ComponentKind.ComponentKind,
  fields: Omit<C, keyof AgentMethods | keyof TeamMethods | keyof WorkflowMethods>
): C => {
  const component: C = Object.setPrototypeOf({ ...fields }, prototypes[kind])
  made(kind, component)
  return component
}
