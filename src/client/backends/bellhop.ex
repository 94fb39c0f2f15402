defmodule Bellhop do
  @moduledoc """
  Bellhop from a backend in Elixir 1.18 or later, which alone may have the secret.

  /docs of your server describes every field; `bellhop manual backends` has examples. In `mix.exs`, `extra_applications`
  needs `:inets` and `:ssl`.
  """

  defmodule Error do
    @moduledoc "`status` is that of HTTP, or 0 without an answer; `code` is such as InvalidArgument, or empty."
    defexception [:status, :code, :message]
  end

  @derive {Inspect, only: [:url, :app]}
  @enforce_keys [:url, :app, :secret]
  defstruct [:url, :app, :secret]

  # Milliseconds for a call. Three tries and the pauses between them take less than two minutes.
  @timeout 10_000
  @tries 3
  # A server that asks for a longer pause (ms) is not waited for: a job should come back later.
  @longest_pause 30_000
  # Seconds, as in Standard Webhooks.
  @tolerance 300

  @doc "Reads BELLHOP_URL, BELLHOP_APP_ID and BELLHOP_SECRET."
  def from_env do
    new(System.get_env("BELLHOP_URL", ""), System.get_env("BELLHOP_APP_ID", ""), System.get_env("BELLHOP_SECRET", ""))
  end

  def new(url, app, secret) do
    url =~ ~r"\Ahttps?://\S+\z" ||
      raise ArgumentError, "BELLHOP_URL must be an address, such as https://push.example.com."

    app =~ ~r"\Aapp_\w+\z" || raise ArgumentError, "BELLHOP_APP_ID must be the ID of an application, app_…"
    secret =~ ~r"\Abhs_[\w-]+\z" || raise ArgumentError, "BELLHOP_SECRET must be the secret of an application, bhs_…"
    %Bellhop{url: String.trim_trailing(url, "/"), app: app, secret: secret}
  end

  @doc """
  Sends `message` to `target`: `{:ok, id}` of the push, or `{:error, %Bellhop.Error{}}`.

  `%{token: …, platform: …}` is one device, `%{users: ["17"]}` or another filter those that match,
  `%{platform: ["0", "1"]}` everyone. Options: `key`: a push with the same one is sent once, so a job that may run again
  gives one of its own; `bellhop`: what `new/3` made.
  """
  def push(target, message, options \\ []) do
    key = Keyword.get_lazy(options, :key, fn -> Base.encode16(:crypto.strong_rand_bytes(16)) end)
    # It is a line of the request.
    key =~ ~r"\A[\x21-\x7e]{1,255}\z" || raise ArgumentError, "A key has 1 to 255 visible ASCII characters."
    one? = Map.has_key?(target, :token) or Map.has_key?(target, "token")
    path = if one?, do: "/push/one", else: "/push/all"
    request = {path, [{"idempotency-key", key}], JSON.encode!(Map.merge(target, message))}

    case call(options, "POST", request) do
      {:ok, %{"id" => id}} when is_binary(id) -> {:ok, id}
      {:ok, _} -> no_answer(:no_id)
      error -> error
    end
  end

  @doc "How far a push is: `{:ok, map}` with its `state`, `t` devices, `s` accepted, and what failed."
  def status(push, options \\ []) do
    call(options, "GET", {"/push/" <> URI.encode(push, &URI.char_unreserved?/1), [], ""})
  end

  @doc """
  Proves to Bellhop who a user is: the app gets it with its sign-in, and sends it as `user_proof`. The key is that of
  `bellhop app user-key`.
  """
  def user_proof(user, key \\ System.get_env("BELLHOP_USER_KEY", "")) do
    key =~ ~r"\Abhu_\S+\z" || raise ArgumentError, "BELLHOP_USER_KEY must be a user key, bhu_…"
    :crypto.mac(:hmac, :sha256, key, user) |> Base.encode16(case: :lower)
  end

  @doc """
  The event in a call of a webhook: `{:ok, event}`, or `:error` where it is not from Bellhop, or old.

  The body is as it came, not parsed; the headers are those of a `Plug.Conn`; the secret is that of `bellhop app webhook`;
  `now` is in seconds since 1970.
  """
  def verify_webhook(body, headers, secret, now \\ System.os_time(:second)) do
    String.starts_with?(secret, "whsec_") || raise ArgumentError, "The secret of a webhook is whsec_…"
    key = secret |> String.replace_prefix("whsec_", "") |> Base.decode64!()
    headers = Map.new(headers)
    [id, timestamp, given] = for name <- ["id", "timestamp", "signature"], do: Map.get(headers, "webhook-" <> name, "")
    mac = :crypto.mac(:hmac, :sha256, key, [id, ".", timestamp, ".", body])
    expected = "v1," <> Base.encode64(mac)
    recent? = timestamp =~ ~r"\A\d{1,15}\z" and abs(now - String.to_integer(timestamp)) <= @tolerance
    # While a secret is replaced, a call may have several.
    genuine? = given |> String.split(" ") |> Enum.any?(&same?(&1, expected))
    if recent? and genuine?, do: {:ok, JSON.decode!(body)}, else: :error
  end

  defp call(options, method, request, tries \\ 1) do
    bellhop = Keyword.get_lazy(options, :bellhop, &from_env/0)

    {outcome, pause} =
      case exchange(bellhop, method, request) do
        {:ok, status, headers, text} -> {answer(status, text), retry_after(headers)}
        {:error, reason} -> {no_answer(reason), nil}
      end

    pause = pause || 250 * 2 ** tries

    case outcome do
      {:error, %Error{status: status}}
      when (status in [0, 429] or status >= 500) and tries < @tries and pause <= @longest_pause ->
        Process.sleep(pause)
        call(options, method, request, tries + 1)

      _ ->
        outcome
    end
  end

  # Not by httpc: it repeats a 503 with Retry-After by itself, before Erlang/OTP 28.4 without an end, even when its caller has
  # gone. In HTTP/1.0 the answer ends with the connection. A redirect is an answer: another server must not get the secret.
  defp exchange(bellhop, method, {path, more, body}) do
    uri = URI.parse(bellhop.url)

    headers = [
      {"host", "#{uri.host}:#{uri.port}"},
      {"connection", "close"},
      {"accept-version", "1"},
      {"content-type", "application/json"},
      {"content-length", to_string(byte_size(body))},
      {"x-service-appid", bellhop.app},
      {"x-service-secret", bellhop.secret} | more
    ]

    lines = for {name, value} <- headers, do: [name, ": ", value, "\r\n"]

    with {:ok, {module, socket} = connection} <- connect(uri) do
      try do
        with :ok <- module.send(socket, [method, " ", uri.path || "", path, " HTTP/1.0\r\n", lines, "\r\n", body]),
             {:ok, {:http_response, _, status, _}} <- module.recv(socket, 0, @timeout),
             {:ok, headers} <- headers(connection, %{}),
             {:ok, text} <- rest(connection, []) do
          {:ok, status, headers, text}
        else
          {:ok, _} -> {:error, :no_http}
          error -> error
        end
      after
        module.close(socket)
      end
    end
  end

  defp connect(%URI{scheme: "https"} = uri) do
    {:ok, _} = Application.ensure_all_started(:ssl)
    connect(uri, :ssl, :httpc.ssl_verify_host_options(true))
  end

  defp connect(uri), do: connect(uri, :gen_tcp, [])

  defp connect(uri, module, more) do
    options = [mode: :binary, active: false, packet: :http_bin, send_timeout: @timeout] ++ more
    host = to_charlist(uri.host)

    with {:error, reason} <- module.connect(host, uri.port, options, @timeout),
         {:error, _} <- module.connect(host, uri.port, [:inet6 | options], @timeout) do
      {:error, reason}
    else
      {:ok, socket} -> {:ok, {module, socket}}
    end
  end

  # By their names in lower case; what comes after them is the body.
  defp headers({module, socket} = connection, found) do
    case module.recv(socket, 0, @timeout) do
      {:ok, {:http_header, _, name, _, value}} ->
        headers(connection, Map.put(found, name |> to_string() |> String.downcase(), value))

      {:ok, :http_eoh} ->
        :ok = if module == :ssl, do: :ssl.setopts(socket, packet: :raw), else: :inet.setopts(socket, packet: :raw)
        {:ok, found}

      other ->
        other
    end
  end

  defp rest({module, socket} = connection, read) do
    case module.recv(socket, 0, @timeout) do
      {:ok, bytes} -> rest(connection, [read, bytes])
      {:error, :closed} -> {:ok, IO.iodata_to_binary(read)}
      error -> error
    end
  end

  defp answer(status, text) do
    case JSON.decode(text) do
      {:ok, %{} = fields} when status in 200..299 ->
        {:ok, fields}

      {:ok, %{"code" => code, "message" => message}} when is_binary(code) and is_binary(message) ->
        {:error, %Error{status: status, code: code, message: "Bellhop answered #{status} #{code}: #{message}"}}

      _ when status in 200..299 ->
        no_answer(:no_json)

      _ ->
        {:error, %Error{status: status, code: "", message: "Bellhop answered #{status}."}}
    end
  end

  # In ms; nil: the answer has none.
  defp retry_after(headers) do
    case Integer.parse(Map.get(headers, "retry-after", "")) do
      {seconds, ""} when seconds >= 0 -> seconds * 1000
      _ -> nil
    end
  end

  # A reason can hold whatever the connection was given.
  defp no_answer(reason) do
    name = if is_tuple(reason), do: elem(reason, 0), else: reason
    {:error, %Error{status: 0, code: "", message: "Bellhop did not answer: #{inspect(name)}"}}
  end

  # In a time that does not tell how much is the same.
  defp same?(one, other) when byte_size(one) != byte_size(other), do: false
  defp same?(one, other), do: :crypto.hash_equals(one, other)
end
