import {
  defineImporter,
  definePlugin,
  HorariumError,
  type ImportEntry,
  Topic,
  type TopicRow,
} from '@horarium/core/plugin';

/** `horarium topics:import FILE …`: a Topic for each line, `name: description`; lines that begin with # are left out. */
const topics = defineImporter({
  name: 'topics',
  summary: 'Create or update topics from a list.',
  filesHelp: 'text files, or - for standard input',
  read(files) {
    const entries: ImportEntry<[TopicRow]>[] = files.flatMap(({ name: file, text }) =>
      text.split('\n').flatMap((line, index) => {
        if (line.trim() === '' || line.startsWith('#')) return [];
        const origin = `${file}, line ${index + 1}`;
        const [name = '', description = ''] = line.split(/: (.*)/);
        if (name.length > 100) throw new HorariumError('invalid', `${origin}: The name has more than 100 characters.`);
        return [
          {
            origin,
            records: [{ resource: Topic, fields: { name, description } }] as const,
            tableRow: ([topic]) => ({ topic: topic.row.name, description: topic.row.description }),
          },
        ];
      }),
    );
    return { entries, notes: [] };
  },
});

export default definePlugin({ name: 'import-topics', api: 1, importers: [topics] });
