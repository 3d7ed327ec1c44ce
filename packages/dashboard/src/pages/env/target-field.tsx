// What a new variable is for: everything, production, all previews, or the previews of one branch.
import { type BarChoice, ChoiceBar } from '../../components/choice-bar.tsx'
import { Field } from '../../components/field.tsx'
import { everywhere, type Target } from './with-variable.ts'

type Place = 'everywhere' | 'production' | 'preview' | 'branch'

const places: Record<Place, BarChoice> = {
  everywhere: { word: 'All', meaning: 'In production and in all previews.' },
  production: { word: 'Production', meaning: 'In production. Previews do not get it.' },
  preview: { word: 'Previews', meaning: 'In all previews. Production does not get it.' },
  branch: {
    word: 'A branch',
    meaning: 'In the previews of one branch, in place of a variable for all previews.',
  },
}

const placeOf = ({ environments: list, branch }: Target): Place =>
  branch !== null ? 'branch' : list.length === 1 ? list[0]! : 'everywhere'

const targets: Record<Place, Target> = {
  everywhere,
  production: { environments: ['production'], branch: null },
  preview: { environments: ['preview'], branch: null },
  branch: { environments: ['preview'], branch: '' },
}

interface TargetFieldProps {
  value: Target
  onChange: (target: Target) => void
  /** What is wrong with the branch. */
  error?: string | undefined
}

export function TargetField({ value, onChange, error }: TargetFieldProps) {
  return (
    <>
      <ChoiceBar
        legend="For"
        choices={places}
        options={['everywhere', 'production', 'preview', 'branch']}
        value={placeOf(value)}
        onChange={place => onChange(targets[place])}
      />
      {value.branch !== null && (
        <Field
          label="Branch"
          name="branch"
          look="mono"
          maxLength={255}
          placeholder="next"
          value={value.branch}
          error={error}
          onChange={event => onChange({ ...value, branch: event.target.value.trim() })}
        />
      )}
    </>
  )
}
