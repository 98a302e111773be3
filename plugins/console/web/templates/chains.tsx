import { useLivePage } from '../data/answer.ts';
import { Name } from '../parts/name.tsx';
import { words } from '../words/words.ts';

interface EventRule {
  readonly id: number;
  readonly event: string | null;
  readonly event_source_id: number | null;
  readonly runtemplate_source_id: number | null;
  readonly runtemplate_id: number;
  readonly enabled: boolean;
}

/** What causes jobs of a template besides its schedule, and what its jobs cause. */
export function Chains({ template }: { readonly template: number }) {
  const text = words.value.template;
  const options = { kinds: ['EventRule'] };
  const causes = useLivePage<EventRule>(`/eventrules.json?runtemplate_id=${template}`, options).value?.rows ?? [];
  const caused =
    useLivePage<EventRule>(`/eventrules.json?runtemplate_source_id=${template}`, options).value?.rows ?? [];
  if (causes.length + caused.length === 0) return null;
  return (
    <>
      <h2>{text.chains}</h2>
      <ul class="plain">
        {causes.map((rule) => (
          <li key={rule.id} class={rule.enabled ? undefined : 'soft'}>
            {text.after(rule.event)}{' '}
            {rule.runtemplate_source_id !== null ? (
              <Name of="RunTemplate" id={rule.runtemplate_source_id} link />
            ) : (
              rule.event_source_id !== null && <Name of="EventSource" id={rule.event_source_id} />
            )}
          </li>
        ))}
        {caused.map((rule) => (
          <li key={rule.id} class={rule.enabled ? undefined : 'soft'}>
            {text.causes(rule.event)} <Name of="RunTemplate" id={rule.runtemplate_id} link />
          </li>
        ))}
      </ul>
    </>
  );
}
