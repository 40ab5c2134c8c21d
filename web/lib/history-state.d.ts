import '@tanstack/react-router'

declare module '@tanstack/history' {
  interface HistoryState {
    /** Why a sign-in was refused, in the provider's words; kept out of the address. */
    signInError?: string | undefined
    /** Why another account could not be connected. */
    connectError?: string | undefined
  }
}
