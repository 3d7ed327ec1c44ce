// Asks who the invoice is for, before the first payment: an invoice cannot be changed afterwards.
import type { BillingProfile, Plan } from '@svc/contract'
import { FormDialog } from '../../components/form-dialog.tsx'
import type { BillingCalls } from './billing.ts'
import { useProfileFields } from './profile-fields.tsx'

interface DetailsDialogProps {
  plan: Plan
  profile: BillingProfile
  calls: BillingCalls
  onClose: () => void
}

export function DetailsDialog({ plan, profile, calls, onClose }: DetailsDialogProps) {
  const { input, fields } = useProfileFields(profile)

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
      {fields.name}
      {fields.address}
      {fields.country}
      {fields.vat_number}
    </FormDialog>
  )
}
