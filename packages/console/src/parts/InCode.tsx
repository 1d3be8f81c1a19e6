/** Says that the code of the service declares something, so that it is not changed here. */
export const InCode = ({ declared }: { readonly declared: boolean }) =>
  declared ? <span class="quiet">in code</span> : null
