import { hrefOf } from '../app/router.ts';
import { viewOf } from '../app/views.ts';
import { useModel } from '../data/model.ts';
import { type Kind, recordOf } from '../data/records.ts';
import { titleAt } from './text/title.ts';

interface NameProps {
  readonly of: Kind;
  readonly id: number;
  /** Whether it leads to the view of the record. @default false */
  readonly link?: boolean;
}

/** The name of a record that another one refers to. Until it is known, and where there is none, its kind and id stand there. */
export function Name({ of, id, link = false }: NameProps) {
  const model = useModel();
  const record = recordOf(of, id);
  const text = <bdi>{titleAt(of, id)}</bdi>;
  const view = link && record ? viewOf(of, id, model) : null;
  return view === null ? text : <a href={hrefOf(view)}>{text}</a>;
}
