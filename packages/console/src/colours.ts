// Light or dark: as the system, unless the person has chosen.
import { effect, signal } from "@preact/signals"
import { inBrowser } from "./storage.ts"

type Scheme = "light" | "dark"

const key = "svc.scheme"

const system = matchMedia("(prefers-color-scheme: dark)")
const systemIsDark = signal(system.matches)

const chosen = signal(inBrowser.get(key))

/** What the page shows now. */
export const scheme = (): Scheme =>
  chosen.value === "light" || chosen.value === "dark" ? chosen.value : systemIsDark.value ? "dark" : "light"

export const toggleScheme = (): void => {
  chosen.value = scheme() === "dark" ? "light" : "dark"
  inBrowser.set(key, chosen.value)
}

/** Keeps the page in the chosen colours. Called once. */
export const followScheme = (): void => {
  system.addEventListener("change", ({ matches }) => {
    systemIsDark.value = matches
  })
  effect(() => {
    document.documentElement.style.colorScheme = chosen.value === undefined ? "" : scheme()
  })
}
