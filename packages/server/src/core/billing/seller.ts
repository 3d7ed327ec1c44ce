// Who sells: the operator of the platform, as invoices name them.
export interface Seller {
  name: string
  address: string[]
  vat_number: string | null
  email: string | null
}
