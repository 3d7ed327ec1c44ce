// The EU's registry of VAT numbers.
export type VatAnswer =
  | {
      known: true
      /** The registry's number of this check, where it gives one. */
      consultation: string | null
    }
  | { known: false }

export interface VatRegistry {
  /** Rejects with RegistryUnavailable if there is no answer, whatever the reason. */
  lookUp(number: { prefix: string; digits: string }, signal: AbortSignal): Promise<VatAnswer>
}

export class RegistryUnavailable extends Error {}
