// The default theme without its fonts, with the colours of the console.
import DefaultTheme from "vitepress/theme-without-fonts"
import { h } from "vue"
import picture from "../../../../docs/images/console-chat.png"
import "./style.css"
import Versions from "./Versions.vue"

/** The language of the last tab that was chosen opens in all groups. */
const key = "svc-docs-tab"

const choose = (name: string | null) => {
  for (const label of document.querySelectorAll<HTMLElement>(".vp-code-group label")) {
    const input = document.getElementById(label.getAttribute("for") ?? "") as HTMLInputElement | null
    if (label.dataset.title === name && input !== null && !input.checked) input.click()
  }
}

const keepTabs = () => {
  let isChoosing = false
  addEventListener("click", ({ target }) => {
    if (isChoosing || !(target instanceof HTMLInputElement) || !target.matches(".vp-code-group input")) return
    const name = document.querySelector<HTMLElement>(`label[for="${target.id}"]`)?.dataset.title
    if (name === undefined) return
    localStorage.setItem(key, name)
    isChoosing = true
    choose(name)
    isChoosing = false
  })
}

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      "nav-bar-content-after": () => h(Versions),
      "home-hero-after": () => h("img", { alt: "A chat in the console of a service", class: "picture", src: picture })
    }),
  enhanceApp: ({ router }) => {
    if (typeof window === "undefined") return
    keepTabs()
    router.onAfterRouteChange = () => setTimeout(() => choose(localStorage.getItem(key)))
  }
}
