// A part of the page that cannot be drawn says so in its own place: the other parts go on.
import { Component, type ComponentChildren } from 'preact';
import { useSay } from './state/texts';

interface Props {
  // What the part is about. When that changes, the part is drawn again.
  of: string;
  children?: ComponentChildren;
}

interface State {
  failed: { of: string; why: string } | null;
}

export class Guarded extends Component<Props, State> {
  override state: State = { failed: null };

  override componentDidCatch(error: unknown) {
    this.setState({ failed: { of: this.props.of, why: error instanceof Error ? error.message : String(error) } });
  }

  override render({ of, children }: Props, { failed }: State) {
    return failed?.of === of ? <Failure why={failed.why} /> : children;
  }
}

function Failure({ why }: { why: string }) {
  const say = useSay();
  return (
    <p class="panel notice notice-error" role="alert">
      {say('guarded.failed', { why })}
    </p>
  );
}
