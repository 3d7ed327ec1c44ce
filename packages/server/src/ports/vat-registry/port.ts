// The EU's registry of VAT numbers.
export type VatAnswer =
  | {
      known: true
      /** The reference number of this check, if the registry gives one. */
      consultation: string | null
    }
  | { known: false }

export interface VatRegistry {
  /** Rejects with RegistryUnavailable if the registry gives no answer, for whatever reason. */
  lookUp(number: { prefix: string; digits: string }, signal: AbortSignal): Promise<VatAnswer>
}

export class RegistryUnavailable extends Error {}
