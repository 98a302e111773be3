import { urlOf } from '../../data/request.ts';
import { bytesText } from '../../parts/sizes.ts';
import { words } from '../../words/words.ts';
import type { LeftFile } from '../run-records.ts';

/** The files that an attempt left. */
export function Artifacts({ of }: { readonly of: readonly LeftFile[] }) {
  const text = words.value.runs;
  if (of.length === 0) return null;
  return (
    <section aria-label={text.files}>
      <h2>
        {text.files} <span>{words.value.number(of.length)}</span>
      </h2>
      <ul class="rows plain-rows">
        {of.map(({ id, filename, size, content_type }) => (
          <li key={id}>
            <a href={urlOf(`/artifact/${id}`)} download={filename.split('/').at(-1)}>
              <bdi>{filename}</bdi>
            </a>
            <small class="soft">
              {bytesText(size)} · {content_type}
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}
