// Asks who the invoice is for, before the first payment: an invoice cannot be changed afterwards.
import type { BillingProfile, Plan } from '@svc/contract'
import { useState } from 'react'
import { Field, TextField } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SelectField } from '../../components/select.tsx'
import type { BillingCalls } from './billing.ts'
import { countries, inputOf } from './profile-form.tsx'

interface DetailsDialogProps {
  plan: Plan
  profile: BillingProfile
  calls: BillingCalls
  onClose: () => void
}

export function DetailsDialog({ plan, profile, calls, onClose }: DetailsDialogProps) {
  const [input, setInput] = useState(inputOf(profile))
  const tied = (field: 'name' | 'address' | 'vat_number') => ({
    name: field,
    value: input[field],
    onChange: (event: { target: { value: string } }) => setInput({ ...input, [field]: event.target.value }),
  })

  async function saveAndPay() {
    await calls.saveProfile(input)
    location.assign((await calls.checkout(plan.id)).checkout_url)
  }

  return (
    <FormDialog
      title="Who is the invoice for?"
      action={`Continue to pay for ${plan.name}`}
      disabled={input.name.trim() === '' || input.country === ''}
      run={saveAndPay}
      onClose={onClose}
    >
      <p>An invoice cannot be changed later. The country and the VAT number decide which VAT is charged.</p>
      <Field label="Name" autoComplete="organization" maxLength={200} {...tied('name')} />
      <TextField label="Address" rows={3} maxLength={500} {...tied('address')} />
      <SelectField
        label="Country"
        name="country"
        autoComplete="country"
        value={input.country}
        options={countries}
        onChoose={country => setInput({ ...input, country })}
      />
      <Field label="VAT number" optional look="mono" maxLength={30} {...tied('vat_number')} />
    </FormDialog>
  )
}
