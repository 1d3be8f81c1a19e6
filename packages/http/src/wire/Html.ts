// Texts in pages.
const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "'": "&#39;"
}

/** Without characters that change how the text around them reads. */
export const escaped = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ").replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")
