// What stands on invoices: who pays, where, and the VAT number. A number is checked with the EU's registry when it is saved.
import type { BillingProfile } from '@svc/contract'
import { useState } from 'react'
import { codeOf, explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Facts } from '../../components/facts.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import { useWork } from '../../use-work.ts'
import type { BillingCalls, ProfileInput } from './billing.ts'
import { countryName, inputOf, useProfileFields } from './profile-fields.tsx'
import styles from './profile-form.module.css'

interface ProfileFormProps {
  profile: BillingProfile
  calls: BillingCalls
  refresh: () => Promise<void>
}

export function ProfileForm({ profile, calls, refresh }: ProfileFormProps) {
  const [fault, setFault] = useState<Fault>()
  const { busy, run } = useWork(failure => setFault(faultOf(failure)))
  const { input, setInput, fields } = useProfileFields(
    profile,
    fault?.field ? { [fault.field]: fault.text } : {},
  )

  async function save() {
    setFault(undefined)
    setInput(inputOf(await calls.saveProfile(input)))
    await refresh()
    notify({ tone: 'ok', text: 'The invoice details were saved.' })
  }

  return (
    <Card title="Invoice details" lead={taxWords(profile)}>
      <Form className={styles.form} onSubmit={() => run(save)}>
        {fault && !fault.field && <Notice tone="error">{fault.text}</Notice>}
        <div className={styles.fields}>
          {fields.name}
          {fields.country}
          {fields.address}
          <div className={styles.column}>
            {fields.vat_number}
            {fields.email}
          </div>
        </div>
        <div>
          <Button type="submit" busy={busy}>
            Save
          </Button>
        </div>
      </Form>
    </Card>
  )
}

/** For those who may read the details and not change them. */
export function ProfileFacts({ profile }: { profile: BillingProfile }) {
  const { name, address, country, vat_number, email } = profile
  return (
    <Card
      title="Invoice details"
      lead={`${taxWords(profile)} An owner of the organization can change these.`}
    >
      <Facts
        facts={[
          { label: 'Name', value: name ?? 'Not given' },
          { label: 'Country', value: country ? countryName(country) : 'Not given' },
          { label: 'Address', value: address ?? 'Not given' },
          { label: 'VAT number', value: vat_number ?? 'Not given' },
          { label: 'Email for invoices', value: email ?? "An owner's" },
        ]}
      />
    </Card>
  )
}

/** `field` is undefined for what concerns none of them. */
interface Fault {
  field: keyof ProfileInput | undefined
  text: string
}

const named: (keyof ProfileInput)[] = ['name', 'address', 'vat_number', 'email']

/** The API begins a message about a field with its name: `email: must be an email address`. */
function faultOf(error: unknown): Fault {
  const text = explain(error)
  const code = codeOf(error)
  if (code === 'vat_number_not_found' || code === 'vat_registry_unavailable')
    return { field: 'vat_number', text }
  const field = named.find(name => text.startsWith(`${name}: `))
  return { field, text: field ? text.slice(field.length + 2) : text }
}

function taxWords({ tax }: BillingProfile): string {
  if (tax.kind === 'reverse_charge') return 'VAT is reverse-charged: you account for it in your country.'
  if (tax.kind === 'outside_eu') return 'No VAT is charged outside the EU.'
  return `Invoices have ${tax.rate_percent} % VAT. With a VAT number of another EU country the VAT is reverse-charged.`
}
