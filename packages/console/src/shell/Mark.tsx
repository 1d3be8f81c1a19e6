// The mark of Svc: a run that branches and comes together.
export const Mark = ({ size = 22 }: { readonly size?: number }) => (
  <svg class="logo" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
    <rect width="24" height="24" rx="6" fill="var(--accent)" />
    <path
      d="M6 7h4c4 0 4 10 8 10M6 17h4c1.4 0 2.3-1.2 3-2.8M14 8.600c.9-1 2-1.600 4-1.600"
      fill="none"
      stroke="var(--on-accent)"
      stroke-width="2.2"
      stroke-linecap="round"
    />
  </svg>
)
