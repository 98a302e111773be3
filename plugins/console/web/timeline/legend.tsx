import { Dot } from '../parts/dot.tsx';
import { words } from '../words/words.ts';

const states = ['fulfilled', 'fulfilled_late', 'failed', 'missed', 'running', 'open'];

/** What stands for what. */
export function Legend() {
  const { timeline, states: names } = words.value;
  return (
    <ul class="legend" aria-label={timeline.legend}>
      {states.map((state) => (
        <li key={state}>
          <Dot state={state} named={false} /> {names[state]}
        </li>
      ))}
      {timeline.signs.map((sign) => (
        <li key={sign}>{sign}</li>
      ))}
    </ul>
  );
}
