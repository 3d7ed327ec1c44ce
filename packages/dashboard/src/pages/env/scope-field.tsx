// When a variable is set, as a choice; for an import also "as they are".
import type { EnvScope } from '@svc/contract'
import { type BarChoice, ChoiceBar } from '../../components/choice-bar.tsx'

const scopes: Record<EnvScope | 'keep', BarChoice> = {
  keep: { word: 'Keep', meaning: 'Known variables keep their scope; new ones get Runtime.' },
  runtime: { word: 'Runtime', meaning: 'Set when your server app starts.' },
  build: { word: 'Build', meaning: 'Set while a git build runs.' },
  both: { word: 'Both', meaning: 'Set in builds and in the running app.' },
}

export const scopeWord = (scope: EnvScope): string => scopes[scope].word

interface ScopeFieldProps<S extends EnvScope | 'keep'> {
  options: readonly S[]
  value: S
  onChange: (scope: S) => void
}

export const ScopeField = <S extends EnvScope | 'keep'>(field: ScopeFieldProps<S>) => (
  <ChoiceBar legend="Scope" choices={scopes} {...field} />
)
