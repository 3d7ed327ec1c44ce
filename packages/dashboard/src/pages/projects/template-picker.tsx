// The templates that a project can begin with.
import { call } from '../../api.ts'
import { Choices } from '../../components/choices.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useResource } from '../../resource.ts'

export function TemplatePicker({ value, onChoose }: { value: string; onChoose: (name: string) => void }) {
  const templates = useResource('templates', async () => (await call('GET /templates')).templates)
  return (
    <Loaded resource={templates} rows={4} label="Loading templates">
      {rows => (
        <Choices
          legend="Template"
          name="template"
          inTwo
          choices={rows.map(({ name, title, summary }) => ({ value: name, title, note: summary }))}
          value={value}
          onChoose={onChoose}
        />
      )}
    </Loaded>
  )
}
