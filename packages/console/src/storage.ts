// What the tab and the browser keep. Both can be full, or refused by the person: then nothing is kept, and the page
// works.

export interface Kept {
  readonly get: (key: string) => string | undefined
  /** Whether it is kept. */
  readonly set: (key: string, value: string) => boolean
  readonly remove: (key: string) => void
  readonly clear: () => void
}

/** Reading the property itself fails where storage is refused. */
const keptIn = (storage: () => Storage): Kept => {
  const tried = <A>(use: (storage: Storage) => A): A | undefined => {
    try {
      return use(storage())
    } catch {
      return undefined
    }
  }
  return {
    get: (key) => tried((storage) => storage.getItem(key)) ?? undefined,
    set: (key, value) => tried((storage) => storage.setItem(key, value) ?? true) ?? false,
    remove: (key) => void tried((storage) => storage.removeItem(key)),
    clear: () => void tried((storage) => storage.clear())
  }
}

export const inTab = keptIn(() => sessionStorage)
export const inBrowser = keptIn(() => localStorage)
