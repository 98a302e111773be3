import { hrefOf } from '../app/router.ts';
import { type Live, type Page, useLivePage } from '../data/answer.ts';
import { Choice } from '../lists/choice.tsx';
import { narrowedList, pathOfList } from '../lists/narrowed.ts';
import { Pages } from '../lists/pages.tsx';
import { PeriodFilter, startOfToday } from '../lists/period.tsx';
import { RecordFilter } from '../lists/record-filter.tsx';
import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Answered } from '../parts/answered.tsx';
import { Dot } from '../parts/dot.tsx';
import { Name } from '../parts/name.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { type DeliveryRow, deliveryInterval } from './delivery.ts';
import { DeliveryOutcome } from './delivery-outcome.tsx';
import { NoticeSentence } from './notice-sentence.tsx';
import { RetryDelivery } from './retry-delivery.tsx';

const filters = ['state', 'runtemplate_id', 'after'];
const options = { kinds: ['Delivery'], every: deliveryInterval };

/** The notices of the service, and whether they arrived: the newest first. */
export function Deliveries() {
  const { path, isNarrowed } = narrowedList('deliveries', filters);
  const page = useLivePage<DeliveryRow>(path, options);
  return (
    <>
      <Headline page={page} isNarrowed={isNarrowed} />
      <Filters />
      <Answered of={page}>
        {(value) => (
          <>
            {value.rows.length === 0 ? <Nothing isNarrowed={isNarrowed} /> : <List key={path} rows={value.rows} />}
            <Pages of={value} />
          </>
        )}
      </Answered>
    </>
  );
}

function Headline({ page, isNarrowed }: { readonly page: Live<Page<DeliveryRow>>; readonly isNarrowed: boolean }) {
  const text = words.value.deliveries;
  const today = useLivePage<DeliveryRow>(
    isNarrowed ? null : pathOfList('deliveries', { limit: '1', from: startOfToday() }),
    options,
  );
  const failed = useLivePage<DeliveryRow>(pathOfList('deliveries', { limit: '1', state: 'failed' }), options);
  const count = isNarrowed ? page.value?.total : today.value?.total;
  const failedCount = failed.value?.total ?? '0';
  return (
    <>
      <h1>
        {count === undefined ? text.title : isNarrowed ? text.found(count) : text.today(count)}{' '}
        {failedCount !== '0' && (
          <b>
            <a href={hrefOf('/deliveries?state=failed')}>{text.failed(failedCount)}</a>
          </b>
        )}
      </h1>
      <p class="sub">{text.about}</p>
    </>
  );
}

function Filters() {
  const text = words.value.deliveries;
  return (
    <div class="filters">
      <Choice name="state" label={text.state} options={text.states} />
      <RecordFilter name="runtemplate_id" label={text.template} of="RunTemplate" list="/runtemplates.json" />
      <PeriodFilter />
    </div>
  );
}

function Nothing({ isNarrowed }: { readonly isNarrowed: boolean }) {
  const text = words.value.deliveries;
  if (isNarrowed) return <p class="soft">{text.none}</p>;
  return (
    <>
      <p class="soft">{text.noneYet}</p>
      <p class="acts">
        <a class="button" href={hrefOf('/templates')}>
          {text.toTemplates}
        </a>
      </p>
    </>
  );
}

function List({ rows }: { readonly rows: readonly DeliveryRow[] }) {
  const text = words.value.deliveries;
  const steady = useSteady(rows, ({ id }) => id);
  return (
    <div class="stream">
      <Rows of={steady} label={text.title}>
        {(delivery) => (
          <Row
            key={delivery.id}
            lead={<Dot state={delivery.state} />}
            title={<NoticeSentence of={delivery} />}
            href={hrefOf(`/deliveries/${delivery.id}`)}
            under={
              <>
                <When at={delivery.created_at} /> · {text.by(delivery.action)} → <bdi>{delivery.endpoint}</bdi>
                {delivery.company_id !== null && (
                  <>
                    {' · '}
                    <Name of="Company" id={delivery.company_id} />
                  </>
                )}
              </>
            }
            acts={<RetryDelivery of={delivery} />}
          >
            <DeliveryOutcome of={delivery} />
          </Row>
        )}
      </Rows>
    </div>
  );
}
