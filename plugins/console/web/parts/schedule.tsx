import { cronWords } from '../data/cron.ts';
import { cronLang, words } from '../words/words.ts';

interface ScheduleProps {
  readonly interval: string;
  readonly cron: string | null;
}

/** How often a template owes a run, in words; a cron pattern itself is shown on hover. */
export function Schedule({ interval, cron }: ScheduleProps) {
  const { intervals } = words.value;
  if (interval !== 'custom' || cron === null) return intervals[interval] ?? interval;
  const text = cronWords(cron);
  if (text === null) return <code>{cron}</code>;
  return (
    <span title={cron} lang={cronLang.value}>
      {text.charAt(0).toLowerCase() + text.slice(1)}
    </span>
  );
}
