/** The value of an attribute in a document of XML. `getAttribute` of the library gives it with entities. */
export const attributeOf = (element: Element, name: string): string => element.getAttributeNode(name)?.value ?? ""
