// An input for text or a number.
interface Props {
  readonly isNumber: boolean
  readonly value: string
  readonly isWrong?: boolean
  readonly placeholder?: string
  readonly change: (text: string) => void
}

export const TextField = ({ change, isNumber, isWrong = false, placeholder = "", value }: Props) => {
  const common = {
    value,
    placeholder,
    "aria-invalid": isWrong,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => change(event.currentTarget.value)
  }
  return isNumber ? <input type="number" step="any" {...common} /> : <input {...common} />
}
