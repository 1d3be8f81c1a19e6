// The pages of the menu "More".
import type { FunctionComponent } from "preact"
import { SchedulePage } from "../schedules/SchedulePage.tsx"
import { SchedulesPage } from "../schedules/SchedulesPage.tsx"

export interface ResourcePage {
  readonly path: string
  readonly title: string
  readonly List: FunctionComponent
  /** Shows one entry of the list. */
  readonly Entry?: FunctionComponent
}

export const resourcePages: ReadonlyArray<ResourcePage> = [
  { path: "schedules", title: "Schedules", List: SchedulesPage, Entry: SchedulePage }
]

export const resourcePageOf = ([name, id]: ReadonlyArray<string>): FunctionComponent | undefined => {
  const page = resourcePages.find(({ path }) => path === name)
  return id === undefined ? page?.List : page?.Entry
}
