// The templates that a project can begin with.
import { call } from '../../api.ts'
import { Loaded } from '../../components/loaded.tsx'
import { SelectField } from '../../components/select.tsx'
import { useResource } from '../../resource.ts'

export function TemplatePicker({ value, onChoose }: { value: string; onChoose: (name: string) => void }) {
  const templates = useResource('templates', async () => (await call('GET /templates')).templates)
  return (
    <Loaded resource={templates} rows={1} label="Loading templates">
      {rows => (
        <SelectField
          label="Template"
          value={value}
          options={rows.map(({ name, title, summary }) => ({ value: name, title: `${title}: ${summary}` }))}
          onChoose={onChoose}
        />
      )}
    </Loaded>
  )
}
