// Remembers a value between visits, where the browser allows it.
const prefix = 'interlock-lab.';

// `isValue` tells a value from what another version, or somebody else, has left there.
export function remembered<Value>(
  name: string,
  isValue: (found: unknown) => found is Value,
  otherwise: Value,
): Value {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(prefix + name) ?? 'null');
    return isValue(found) ? found : otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(name: string, value: unknown) {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // A browser that stores nothing still runs the lessons.
  }
}

// Calls `act` when another tab has remembered something under this name. Returns how to end that.
export function onRemembered(name: string, act: () => void): () => void {
  const listen = (event: StorageEvent) => {
    if (event.key === prefix + name) act();
  };
  addEventListener('storage', listen);
  return () => removeEventListener('storage', listen);
}
