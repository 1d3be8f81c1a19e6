/** Where the built console is: `index.html`, and the files that it names, which have hashes in their names. */
export const site: URL = new URL("../site/", import.meta.url)
