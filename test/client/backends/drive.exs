# Carries out the calls that test/client/backends.test.ts gives, a line each, with the file of argument 1.
Code.require_file(hd(System.argv()))

defmodule Drive do
  def carry_out(%{"call" => "push", "target" => target, "message" => message} = given) do
    place = if given["place"], do: [bellhop: apply(Bellhop, :new, given["place"])], else: []
    key = if given["key"], do: [key: given["key"]], else: []
    Bellhop.push(target, message, place ++ key)
  end

  def carry_out(%{"call" => "status", "id" => id}), do: Bellhop.status(id)
  def carry_out(%{"call" => "proof", "user" => user}), do: {:ok, Bellhop.user_proof(user)}
  def carry_out(%{"call" => "show"}), do: {:ok, inspect(Bellhop.from_env())}

  def carry_out(%{"call" => "verify"} = given) do
    case Bellhop.verify_webhook(given["body"], given["headers"], given["secret"], given["now"]) do
      :error -> {:ok, nil}
      found -> found
    end
  end

  def said(given) do
    case carry_out(given) do
      {:ok, is} -> %{is: is}
      {:error, error} -> Map.take(error, [:status, :code, :message])
    end
  rescue
    error in ArgumentError -> %{message: Exception.message(error)}
  end
end

for line <- IO.stream(:stdio, :line), do: IO.puts(JSON.encode!(Drive.said(JSON.decode!(line))))
